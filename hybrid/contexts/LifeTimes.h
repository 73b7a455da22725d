// SPDX-License-Identifier: GPL-2.0-or-later
//
// How long things live, in a fixed number of bins: also of what lives on when
// the trace ends, of which only the least is known.

#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

namespace kst {

/// Durations in the unit of the trace's clock. A bin spans an eighth of a power
/// of two: a bound is off by 9 % at most.
class LifeTimes {
public:
  static constexpr unsigned PerDoubling = 8, Bins = 64 * PerDoubling;

  void ended(uint64_t Time) { ++Ended[bin(Time)], ++EndedCount; }
  /// Lives at least so long.
  void lives(uint64_t Time) { ++Living[bin(Time)], ++LivingCount; }

  uint64_t endedCount() const { return EndedCount; }
  uint64_t livingCount() const { return LivingCount; }
  /// Ended in a bin, and where that begins.
  uint64_t endedIn(unsigned Bin) const { return Ended[Bin]; }
  static double beginOf(unsigned Bin);

  /// The time that a share of all outlives no longer than (Kaplan and Meier
  /// 1958: who lives on counts as long as it was seen): 0.5 is the median.
  /// Nothing if the trace is too short to tell, or nobody lived.
  std::optional<double> quantile(double Share) const;

  /// The share that outlives the end of a bin, by the same; 1: nothing ended so
  /// early.
  double outliving(unsigned Bin) const;

  LifeTimes &operator+=(const LifeTimes &Other);

private:
  static unsigned bin(uint64_t Time) {
    if (Time < 2)
      return 0;
    const unsigned Power = std::bit_width(Time) - 1;
    const uint64_t Rest = Time - (uint64_t(1) << Power);
    const uint64_t Eighth =
        Power >= 3 ? Rest >> (Power - 3) : Rest << (3 - Power);
    return Power * PerDoubling + unsigned(Eighth);
  }
  std::array<uint64_t, Bins> Ended{}, Living{};
  uint64_t EndedCount = 0, LivingCount = 0;
};

} // namespace kst
