// SPDX-License-Identifier: GPL-2.0-or-later
//
// Hot fields of a line follow each other: a cold field between them that a
// patch puts there for nothing is the first thing a reader asks about.

#pragma once

#include "hybrid/layout/SearchSpace.h"

#include <cstdint>
#include <vector>

namespace kst {

/// Hot are the fewest move units that together have HotShare of all touches;
/// the others are cold. Keeps a reference to the space.
class HotClusters {
public:
  static constexpr double HotShare = 0.95;

  explicit HotClusters(const SearchSpace &Space);

  bool hot(uint32_t MoveUnit) const { return Hot[MoveUnit]; }

  /// Cold move units that lie between two hot ones on one line of the first
  /// configuration, in an instance that starts on a line. MoveUnits that reach
  /// into another line and move units of no size do not count.
  size_t coldBetween(const MoveUnitOrder &Order) const;

  /// `Order` with moved move units put where fewer cold ones lie between hot
  /// ones, as long as nothing gets dearer and no further move unit moves.
  /// `Budget` in steps (OrderPrice::work()). Deterministic.
  MoveUnitOrder closed(MoveUnitOrder Order, uint64_t Budget) const;

private:
  const SearchSpace &Space;
  std::vector<bool> Hot;
};

} // namespace kst
