// SPDX-License-Identifier: GPL-2.0-or-later
//
// The isolation commands, from files to reports.

#ifndef KST_HYBRID_PIPELINE_ISOLATION_H
#define KST_HYBRID_PIPELINE_ISOLATION_H

#include "hybrid/isolation/IsolationReport.h"
#include "hybrid/pipeline/LinkedImages.h"

namespace kst {

struct IsolationRequest {
  LinkRequest Link;
  std::string Heat;       ///< a profile or reference; empty: none
  bool HeatGiven = false; ///< it must have functions of the image
};

struct VerifyRequest {
  IsolationRequest Of;
  std::string NewImage;
  std::string NewMap; ///< empty: no sizes are given
};

struct PlanRequest {
  IsolationRequest Of;
  IsolationAsked Plan;
  std::string Churn;  ///< paths, one a line, once for each change; empty: none
  std::string Source; ///< the tree that a patch is for; empty: no patch
};

struct ImpactRequest {
  IsolationRequest Of;
  /// OBJECT:SECTION:+BYTES, or FUNCTION:+BYTES.
  std::vector<std::string> Grow;
  std::string NewImage; ///< empty: addresses are predicted
  uint64_t LineBytes = 64;
  std::string Trace;  ///< of the image as it was; empty: none
  bool Quiet = false; ///< no progress on stderr
};

llvm::Expected<MapReport> isolationMap(const IsolationRequest &Asked,
                                       const DiagnosticConsumer &Diags);
llvm::Expected<VerifyReport> isolationVerify(const VerifyRequest &Asked,
                                             const DiagnosticConsumer &Diags);
llvm::Expected<PlanReport> isolationPlan(const PlanRequest &Asked,
                                         const DiagnosticConsumer &Diags);
llvm::Expected<ImpactReport> isolationImpact(const ImpactRequest &Asked,
                                             const DiagnosticConsumer &Diags);

/// A diff for the Makefiles of kbuild in `Source`. A usageError names a
/// Makefile that is not there.
llvm::Expected<std::string> isolationPatch(const IsolationPlan &Plan,
                                           const std::string &Source);

} // namespace kst

#endif
