// SPDX-License-Identifier: GPL-2.0-or-later
//
// Page colours of trace files and machines.

#ifndef KST_HYBRID_PIPELINE_PAGECOLOURS_H
#define KST_HYBRID_PIPELINE_PAGECOLOURS_H

#include "hybrid/colour/ColourReport.h"

#include "llvm/Support/Error.h"

namespace kst {

struct ColourRequest {
  std::string Trace; ///< empty: a machine of MemoryMiB that is all free
  uint64_t MemoryMiB = 0;
  std::string Cache;                        ///< size and ways
  unsigned LineBytes = 64;                  ///< of heat
  std::vector<std::string> Policies, Sizes; ///< empty: the usual ones
  std::string ColourBytes; ///< size of what colours cover; empty: a way
  unsigned ColourOrder = 0;
  uint64_t Churn = 0, Seed = 1;
  std::string Against; ///< another trace; empty: none
  bool Quiet = false;  ///< no progress on stderr
};

/// A usageError for what the user can mend, a failure for a damaged trace.
llvm::Expected<ReplayReport> replayColours(const ColourRequest &Asked);
llvm::Expected<HeatReport> heatOfColours(const ColourRequest &Asked);
/// Of the directory `node` of a machine's sysfs, or a copy of it.
llvm::Expected<GeometryReport> geometryOfColours(const std::string &NodeRoot);

} // namespace kst

#endif
