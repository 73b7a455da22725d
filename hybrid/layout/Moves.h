// SPDX-License-Identifier: GPL-2.0-or-later
//
// What counts as a move: one declaration taken to another place. A patch that
// turns the declared order into another one takes up some declarations and
// leaves the rest where they are; this finds the fewest that have to be taken
// up.

#ifndef KST_HYBRID_LAYOUT_MOVES_H
#define KST_HYBRID_LAYOUT_MOVES_H

#include "hybrid/layout/Constraints.h"
#include "hybrid/layout/SearchSpace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kst {

/// The units taken up on a way from the declared order to `UnitOrder` that
/// moves the fewest fields: all but a heaviest increasing subsequence, a unit
/// weighing as much as it has fields. Units that may not move are never among
/// them (legal orders keep these in order). Of equal ways the one that takes up
/// the hotter units: "a goes to b", not "all that lies between goes behind b".
/// Result[u]: unit u moved. Deterministic; O(n log n).
std::vector<bool> movedUnits(const SearchSpace &Space,
                             std::span<const uint32_t> UnitOrder);

/// Fields in the moved units: the number of moves.
uint32_t moveCount(const Constraints &Rules, const std::vector<bool> &Moved);

/// `Target` with only the units `Taken` out of place: these and those that
/// `Moved` says stayed are in the order of `Target`, each other one is at home,
/// just after the nearest earlier unit of its segment in declaration order
/// that is at home or stayed. `Moved` is movedUnits() of `Target`.
std::vector<uint32_t> partOf(const Constraints &Rules,
                             std::span<const uint32_t> Target,
                             const std::vector<bool> &Moved,
                             const std::vector<bool> &Taken);

} // namespace kst

#endif
