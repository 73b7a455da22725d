// SPDX-License-Identifier: GPL-2.0-or-later
//
// See Frontier.h.

#include "hybrid/layout/Frontier.h"

#include "hybrid/layout/LocalSearch.h"

#include <algorithm>

namespace kst {

static FrontierOrder pointOf(const RecordInfo &Record, const SearchSpace &Space,
                             const UnitOrder &Order, double Total) {
  FrontierOrder Result;
  Result.Order = Order;
  Result.Point.TotalCost = Total;
  std::vector<bool> Moved = movedUnits(Order);
  for (uint32_t U = 0; U < Moved.size(); ++U) {
    if (!Moved[U])
      continue;
    for (uint32_t F : Space.rules().units()[U].Fields) {
      ++Result.Point.Moves;
      Result.Point.Moved.push_back(Record.Fields[F].Name);
    }
  }
  return Result;
}

/// Sends the moved unit home whose return costs least; one that costs nothing
/// at once. False if no movable unit has moved.
static bool sendOneHome(const SearchSpace &Space, LocalSearch &Walk) {
  std::vector<bool> Moved = movedUnits(Walk.order());
  bool Found = false;
  double Best = 0;
  size_t BestFrom = 0, BestTo = 0;
  for (uint32_t U = 0; U < Moved.size(); ++U) {
    if (!Moved[U] || !Space.rules().units()[U].Movable)
      continue;
    size_t From = Walk.positionOf(U), To = Walk.home(U, Moved);
    double Price = Walk.priceOfMove(From, 1, To);
    if (Found && Price >= Best)
      continue;
    Found = true;
    Best = Price;
    BestFrom = From;
    BestTo = To;
    if (Price <= Walk.total())
      break;
  }
  if (!Found)
    return false;
  Walk.priceOfMove(BestFrom, 1, BestTo);
  Walk.adopt();
  return true;
}

std::vector<FrontierOrder> frontier(const RecordInfo &Record,
                                    const SearchSpace &Space,
                                    const UnitOrder &Best, uint64_t Budget) {
  LocalSearch Walk(Space, Best);
  std::vector<FrontierOrder> Points;
  Points.push_back(pointOf(Record, Space, Best, Walk.total()));
  while (Walk.work() < Budget && sendOneHome(Space, Walk))
    Points.push_back(pointOf(Record, Space, Walk.order(), Walk.total()));
  UnitOrder Declared = Space.declared();
  Points.push_back(pointOf(Record, Space, Declared, Space.price(Declared)));

  // Fewest moves first; of equal moves the cheapest; then only what gains.
  std::stable_sort(Points.begin(), Points.end(),
                   [](const FrontierOrder &A, const FrontierOrder &B) {
                     return A.Point.Moves != B.Point.Moves
                                ? A.Point.Moves < B.Point.Moves
                                : A.Point.TotalCost < B.Point.TotalCost;
                   });
  std::vector<FrontierOrder> Kept;
  for (FrontierOrder &P : Points)
    if (Kept.empty() || P.Point.TotalCost < Kept.back().Point.TotalCost)
      Kept.push_back(std::move(P));
  return Kept;
}

} // namespace kst
