// SPDX-License-Identifier: GPL-2.0-or-later
//
// The lines of `perf script`: samples, and the call chains behind them.

#pragma once

#include "hybrid/import/PerfCounts.h"

#include <optional>
#include <string_view>
#include <vector>

namespace kst {

/// Takes the lines of one text in their order. Borrows To, and the text as long
/// as lines come.
class PerfScript {
public:
  /// Beginning: of the text, long enough to see how samples end.
  PerfScript(PerfCounts &To, std::string_view Beginning);

  /// False if the line is none of `perf script`.
  bool line(std::string_view Line);

  /// Whether a line had the time or event of a sample.
  bool heads() const { return Heads; }
  /// Whether such a line still waits for its call chain.
  bool pending() const { return Pending; }

  /// One sample, or its first line.
  struct Sample {
    bool HasIp = false; ///< else a call chain follows
    std::string_view Symbol;
    bool Kernel = false, DataAddress = false, Store = false;
    std::optional<uint64_t> TimeNs;
    std::string_view Event;
    std::optional<TypedPlace> Place;
  };

private:
  void take(const Sample &S);
  /// Whether Words has entries of a branch stack.
  bool branches();

  PerfCounts &To;
  std::vector<std::string_view> Words;
  bool Chains = false;  ///< samples without a head line end at empty lines
  bool Heads = false;   ///< a head line was seen
  bool Pending = false; ///< the next frame is the sample
  bool InChain = false;
  std::optional<uint64_t> HeadTimeNs; ///< of the last head line
  std::string_view HeadEvent;
  bool InKernel = false; ///< the last sample
};

} // namespace kst
