// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much of the gain how few moves would bring. Maintainers take small
// patches; this says what a small one is worth, and which it should be: the
// best five moves are not the first five of the best order.

#pragma once

#include "hybrid/core/Layout.h"
#include "hybrid/core/Record.h"
#include "hybrid/layout/SearchSpace.h"

#include <cstdint>
#include <vector>

namespace kst {

/// A point of the frontier together with the order that reaches it.
struct FrontierOrder {
  FrontierPoint Point;
  MoveUnitOrder Order;
};

/// The point of a legal order. `Total`: its price without the penalty of
/// demands.
FrontierOrder pointOf(const RecordInfo &Record, const SearchSpace &Space,
                      MoveUnitOrder Order, double Total);

/// The cheapest orders found for every number of moves (see Moves.h), from the
/// declared order on.
///
/// Points: first {0 moves, declared order}; then moves rising, cost falling,
/// both strictly; the last costs no more than `Best`, and may cost less or move
/// less. With `MaxMoves` no point has more moves, and `Best` is only a guide.
/// Prices are without the penalty of demands (SearchSpace). Points after the
/// first meet as many demands as the last; if the declared order meets fewer,
/// the second point may cost more than the first.
///
/// No point is worse than the first so many moves of Best (firstMoves()),
/// whatever the budget, or than greedyMoves() as far as a quarter of the budget
/// leads. Found from both ends: Best's moves are taken back one
/// by one, the cheapest return first, and MoveTable::search() varies what is
/// known for each number of moves, from the declared order up. `Budget` in
/// steps (OrderPrice::work()). Deterministic.
std::vector<FrontierOrder> frontier(const RecordInfo &Record,
                                    const SearchSpace &Space,
                                    const MoveUnitOrder &Best, uint64_t Budget,
                                    uint32_t MaxMoves = ~0u);

/// What truncating the full answer gives: the move units that Best moves, taken
/// to their place in Best in the order in which they stand there; one order for
/// each number of move units, none first. The baseline for frontier().
std::vector<MoveUnitOrder> firstMoves(const SearchSpace &Space,
                                      const MoveUnitOrder &Best);

/// The same with the move units taken greedily, the one with the greatest gain
/// next: a better truncation, still of the full answer. Ends early when
/// `Budget` steps are spent.
std::vector<MoveUnitOrder> greedyMoves(const SearchSpace &Space,
                                       const MoveUnitOrder &Best,
                                       uint64_t Budget = ~0ull);

} // namespace kst
