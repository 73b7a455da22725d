// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/Frontier.h"

#include "hybrid/layout/MoveTable.h"
#include "hybrid/layout/Moves.h"

#include <algorithm>

namespace kst {

FrontierOrder pointOf(const RecordInfo &Record, const SearchSpace &Space,
                      MoveUnitOrder Order, double Total) {
  FrontierOrder Result;
  Result.Point.TotalCost = Total;
  std::vector<bool> Moved = movedUnits(Space, Order);
  Result.Point.Moves = moveCount(Space.rules(), Moved);
  for (uint32_t U = 0; U < Moved.size(); ++U)
    if (Moved[U])
      for (uint32_t F : Space.rules().bricks()[U].Fields)
        Result.Point.Moved.push_back(Record.Fields[F].Name);
  Result.Order = std::move(Order);
  return Result;
}

/// From Best, sends the moved move unit home whose return costs least, again
/// and again; one that costs nothing at once. Offers every order on the way.
static uint64_t walkBack(const SearchSpace &Space, const MoveUnitOrder &Best,
                         MoveTable &Table, uint64_t Budget) {
  const Constraints &Rules = Space.rules();
  const std::vector<bool> Moved = movedUnits(Space, Best);
  std::vector<bool> Taken = Moved;
  OrderPrice Price(Space, Best);
  Table.offer(Best, Price.total());
  while (Price.work() < Budget) {
    uint32_t Next = ~0u;
    double Least = 0;
    for (uint32_t U = 0; U < Taken.size(); ++U) {
      if (!Taken[U])
        continue;
      Taken[U] = false;
      double P = Price.trial(partOf(Rules, Best, Moved, Taken));
      Taken[U] = true;
      if (Next != ~0u && P >= Least)
        continue;
      Next = U;
      Least = P;
      if (P <= Price.total())
        break;
    }
    if (Next == ~0u)
      break;
    Taken[Next] = false;
    MoveUnitOrder Order = partOf(Rules, Best, Moved, Taken);
    Price.trial(Order);
    Price.commit();
    Table.offer(Order, Price.total());
  }
  return Price.work();
}

std::vector<MoveUnitOrder> firstMoves(const SearchSpace &Space,
                                      const MoveUnitOrder &Best) {
  const Constraints &Rules = Space.rules();
  const std::vector<bool> Moved = movedUnits(Space, Best);
  std::vector<bool> Taken(Moved.size());
  std::vector<MoveUnitOrder> Orders = {partOf(Rules, Best, Moved, Taken)};
  for (uint32_t U : Best)
    if (Moved[U]) {
      Taken[U] = true;
      Orders.push_back(partOf(Rules, Best, Moved, Taken));
    }
  return Orders;
}

std::vector<MoveUnitOrder> greedyMoves(const SearchSpace &Space,
                                       const MoveUnitOrder &Best,
                                       uint64_t Budget) {
  const Constraints &Rules = Space.rules();
  const std::vector<bool> Moved = movedUnits(Space, Best);
  std::vector<bool> Taken(Moved.size());
  std::vector<MoveUnitOrder> Orders = {Space.declared()};
  OrderPrice Price(Space, Orders.front());
  for (;;) {
    uint32_t Next = ~0u;
    double Least = 0;
    for (uint32_t U = 0; U < Taken.size(); ++U) {
      if (!Moved[U] || Taken[U])
        continue;
      Taken[U] = true;
      double P = Price.trial(partOf(Rules, Best, Moved, Taken));
      Taken[U] = false;
      if (Next == ~0u || P < Least) {
        Next = U;
        Least = P;
      }
    }
    if (Next == ~0u || Price.work() >= Budget)
      return Orders;
    Taken[Next] = true;
    Orders.push_back(partOf(Rules, Best, Moved, Taken));
    Price.trial(Orders.back());
    Price.commit();
  }
}

std::vector<FrontierOrder> frontier(const RecordInfo &Record,
                                    const SearchSpace &Space,
                                    const MoveUnitOrder &Best, uint64_t Budget,
                                    uint32_t MaxMoves) {
  MoveTable Table(Space, MaxMoves);
  for (const MoveUnitOrder &Order : firstMoves(Space, Best))
    Table.offer(Order);
  uint64_t Spent = walkBack(Space, Best, Table, Budget / 4);
  for (const MoveUnitOrder &Order : greedyMoves(Space, Best, Budget / 4))
    Table.offer(Order);
  Spent += Budget / 4;
  Table.search(Best, Budget - std::min(Budget, Spent));

  // A broken demand costs more than anything else: the cheapest, which is the
  // last, breaks fewest.
  std::vector<const MoveTable::Entry *> Known;
  for (const MoveTable::Entry &E : Table.entries())
    if (E.Known)
      Known.push_back(&E);
  const size_t Fewest = Space.broken(Known.back()->Order);
  std::vector<FrontierOrder> Points;
  for (const MoveTable::Entry *E : Known) {
    size_t Broken = Space.broken(E->Order);
    if (!Points.empty() && Broken > Fewest)
      continue;
    double Total = Space.price(E->Order) -
                   Space.placementPenalty() * static_cast<double>(Broken);
    Points.push_back(pointOf(Record, Space, E->Order, Total));
  }
  return Points;
}

} // namespace kst
