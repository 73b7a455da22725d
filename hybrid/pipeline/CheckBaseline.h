// SPDX-License-Identifier: GPL-2.0-or-later
//
// Layouts of today against those of a baseline.

#ifndef KST_HYBRID_PIPELINE_CHECKBASELINE_H
#define KST_HYBRID_PIPELINE_CHECKBASELINE_H

#include "hybrid/pipeline/Request.h"
#include "hybrid/review/Baseline.h"
#include "hybrid/review/ReviewStruct.h"

namespace kst {

/// Structs: only these; none: those of the baseline.
struct BaselineRequest : AnalyzeRequest {
  std::string File;
  bool LineGiven = false; ///< Layout.LineBytes is the user's word
  ReviewOptions Review;
  std::string Suppressions; ///< a file; "": none
};

struct BaselineAnswer {
  ReviewReport Report;
  ExitCode Status = ExitDone; ///< ExitPartial: some structs are unknown
};

/// A struct of the baseline that no unit defines any more is a finding.
llvm::Expected<BaselineAnswer> checkBaseline(const BaselineRequest &Asked);

/// The structs asked for, in each configuration that has them.
llvm::Expected<LayoutBaseline> makeBaseline(const BaselineRequest &Asked,
                                            ExitCode &Status);

} // namespace kst

#endif
