// SPDX-License-Identifier: GPL-2.0-or-later
//
// What counts as a move: one declaration taken to another place. A patch that
// turns the declared order into another one takes up some declarations and
// leaves the rest where they are; this finds the fewest that have to be taken
// up.

#pragma once

#include "hybrid/layout/Constraints.h"
#include "hybrid/layout/SearchSpace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kst {

/// The move units taken up on a way from the declared order to `MoveUnitOrder`
/// that moves the fewest fields: all but a heaviest increasing subsequence, a
/// move unit weighing as much as it has fields. MoveUnits that may not move are
/// never among them (legal orders keep these in order). Of equal ways the one
/// that takes up the hotter move units: "a goes to b", not "all that lies
/// between goes behind b". Result[u]: move unit u moved. Deterministic; O(n log
/// n).
std::vector<bool> movedUnits(const SearchSpace &Space,
                             std::span<const uint32_t> MoveUnitOrder);

/// MoveUnits that need not be picked up to turn the declaration order into
/// `MoveUnitOrder`: a longest increasing subsequence. Result[u]: u moved.
std::vector<bool> movedUnits(std::span<const uint32_t> MoveUnitOrder);

/// Fields in the moved move units: the number of moves.
uint32_t moveCount(const Constraints &Rules, const std::vector<bool> &Moved);

/// The moves from the declared order to this one.
inline uint32_t moveCount(const SearchSpace &Space,
                          std::span<const uint32_t> MoveUnitOrder) {
  return moveCount(Space.rules(), movedUnits(Space, MoveUnitOrder));
}

/// Takes `Length` move units from position From on to stand before the one that
/// is now at position To (From + Length <= To or To <= From).
void moveRun(MoveUnitOrder &Order, size_t From, size_t Length, size_t To);

/// `Goal` with only the move units `Taken` out of place: these and those that
/// `Moved` says stayed are in the order of `Goal`, each other one is at home,
/// just after the nearest earlier move unit of its segment in declaration order
/// that is at home or stayed. `Moved` is movedUnits() of `Goal`.
std::vector<uint32_t> partOf(const Constraints &Rules,
                             std::span<const uint32_t> Goal,
                             const std::vector<bool> &Moved,
                             const std::vector<bool> &Taken);

} // namespace kst
