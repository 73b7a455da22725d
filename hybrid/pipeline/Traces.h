// SPDX-License-Identifier: GPL-2.0-or-later
//
// Traces from files: made of recordings, and printed. Both go front to back and
// hold nothing, so a trace may be larger than memory.

#ifndef KST_HYBRID_PIPELINE_TRACES_H
#define KST_HYBRID_PIPELINE_TRACES_H

#include "hybrid/pipeline/Errors.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kst {

/// Takes the next bytes; false if it takes no more.
using ByteSink = std::function<bool(std::string_view)>;

struct TraceImportRequest {
  std::string File;
  std::vector<std::string> Binaries; ///< of the program; none: as File says
  std::string Label;                 ///< of the workload, if not empty
  /// Of a recording of a kernel: the address of page frame 0; 0: not given.
  uint64_t DirectMap = 0;
};

/// A raw trace, a log of accesses, what lackey printed, or a recording of
/// trace-cmd or perf, as a trace; the
/// answer says in words how much it holds and what was left out. Ends without
/// an error when Sink takes no more.
llvm::Expected<std::string> importTrace(const TraceImportRequest &Asked,
                                        const ByteSink &Sink);

struct TraceDumpRequest {
  std::string File;
  std::string Struct; ///< empty: all
  uint64_t Limit = 0; ///< events at most; 0: all
  /// In place of the events: what was allocated, or who used it.
  bool Types = false, Users = false;
};

/// A line for each event until the end, the limit, damage (which is an error,
/// behind the lines before it), or a sink that takes no more. A usageError, and
/// no line, if the trace knows no such struct.
llvm::Error dumpTrace(const TraceDumpRequest &Asked, const ByteSink &Sink);

} // namespace kst

#endif
