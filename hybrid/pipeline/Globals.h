// SPDX-License-Identifier: GPL-2.0-or-later
//
// `isolation globals`, from files to a report.

#ifndef KST_HYBRID_PIPELINE_GLOBALS_H
#define KST_HYBRID_PIPELINE_GLOBALS_H

#include "hybrid/isolation/GlobalsReport.h"
#include "hybrid/pipeline/Errors.h"

namespace kst {

struct GlobalsRequest {
  std::string Image; ///< linked, or a module
  /// What it was linked from as one file, for input sections; empty: IMAGE.o,
  /// if it is there.
  std::string Relocatable;
  std::string Within;     ///< the end of a source file's name, or its directory
  std::string Heat;       ///< a profile or reference; empty: none
  bool HeatGiven = false; ///< else Heat is the reference, of kernels
  std::string Trace;      ///< of that very image; empty: none
  uint64_t LineBytes = 64;
  bool Quiet = false; ///< no progress on stderr
};

llvm::Expected<GlobalsReport> isolationGlobals(const GlobalsRequest &Asked,
                                               const DiagnosticConsumer &Diags);

} // namespace kst

#endif
