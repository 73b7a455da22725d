// SPDX-License-Identifier: GPL-2.0-or-later
//
// The number of CPUs that evidence is about: of the machine that it was
// recorded on, and of those that an order is for.

#pragma once

#include <cstdint>

namespace kst {

struct CpuCount {
  /// CPUs that the evidence was turned to; 0: none, it is as it was recorded.
  uint32_t Wanted = 0;
  /// CPUs of the recordings, their mean if they differ.
  double Recorded = 0;
  /// Some recording does not say how many it had: 2 are assumed for it.
  bool RecordedAssumed = false;
  /// Visits in loops over CPUs, of all visits, before and after; 0..1.
  double LoopsBefore = 0, Loops = 0;
};

} // namespace kst
