// SPDX-License-Identifier: GPL-2.0-or-later
//
// Data profiles of trace files.

#pragma once

#include "hybrid/affinity/CpuGrowth.h"
#include "hybrid/core/Machine.h"
#include "hybrid/dprof/DprofReport.h"
#include "hybrid/pipeline/Request.h"

#include <string>
#include <vector>

namespace kst {

struct DprofRequest {
  std::string Trace;
  CacheGeometry Caches;
  std::string Level;   ///< empty: the last private one that exists
  std::string Sharing; ///< "at-miss" or "lifetime"
  std::string Latency; ///< as in "l1=4,memory=200", cycles; others of On
  Machine On;
  double Cpus = ServerCpus; ///< of On
  DprofViews Views; ///< a type that the trace does not have is a usageError
  std::vector<std::string> WhatIf; ///< reports with orders
  /// Source from which orders come, too. Its Structs: those; none: the hottest
  /// struct types of the trace that WhatIf does not have, at most Hottest.
  std::optional<AnalyzeRequest> Source;
  unsigned Hottest = 5;
  std::string Diff;                  ///< another trace; empty: none
  std::vector<std::string> Binaries; ///< whose debug information names fields
  bool Quiet = false;                ///< no progress on stderr
};

/// A usageError for what the user can mend, a failure for a damaged trace.
/// Types that the source does not define, or lays out in another way than the
/// trace has them, are told in the report; it is a usageError if it defines
/// none.
llvm::Expected<DprofReport> dataProfile(const DprofRequest &Asked);

} // namespace kst
