// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/RandomOrder.h"

#include <algorithm>
#include <random>

namespace kst {

/// Enough for a move unit to get from any place to any other.
static constexpr size_t MovesPerMoveUnit = 16;

MoveUnitOrder randomOrder(const LayoutProblem &Problem, uint64_t Seed) {
  const SearchSpace &Space = Problem.space();
  const Constraints &Rules = Problem.rules();
  MoveUnitOrder Order = Space.declared();
  if (Rules.allFixed())
    return Order;
  // The distributions of the standard library differ from one to the other.
  std::mt19937_64 Dice(Seed);
  const size_t Count = Order.size();
  std::vector<uint64_t> Offsets;
  for (size_t Left = MovesPerMoveUnit * Count; Left; --Left) {
    MoveUnitOrder Guide = Order;
    const size_t From = Dice() % Count, To = Dice() % Count;
    const uint32_t MoveUnit = Guide[From];
    Guide.erase(Guide.begin() + From);
    Guide.insert(Guide.begin() + To, MoveUnit);
    MoveUnitOrder Trial = Rules.mended(Guide);
    if (!Rules.legal(Trial))
      continue;
    const std::vector<uint32_t> Fields = Rules.fields(Trial);
    Space.offsets().place(Fields, Offsets);
    if (Space.unmet(Fields, Offsets) == 0)
      Order = std::move(Trial);
  }
  return Order;
}

} // namespace kst
