// SPDX-License-Identifier: GPL-2.0-or-later
//
// Events of several CPUs in one order.

#pragma once

#include "hybrid/import/RawTrace.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace kst {

/// The records of a kernel's CPUs, event by event in the order of time. Each
/// CPU has one record with events.
class EventsByTime {
public:
  void add(const RawTraceRecord &R) {
    if (R.Count) {
      Cpus.push_back({R, 0});
      Next.push({R.event(0).Time, Cpus.size() - 1});
    }
  }
  template <typename A, typename L> void forEach(A &&Access, L &&Life) {
    while (!Next.empty()) {
      const size_t Cpu = Next.top().second;
      Next.pop();
      auto &[Of, At] = Cpus[Cpu];
      Of.step(At, [&](const RawTraceEvent &E) { Access(E, Of.Stream); }, Life);
      if (At < Of.Count)
        Next.push({Of.event(At).Time, Cpu});
    }
  }

private:
  using Entry = std::pair<uint64_t, size_t>; ///< time, CPU
  std::vector<std::pair<RawTraceRecord, uint64_t>> Cpus;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> Next;
};

} // namespace kst
