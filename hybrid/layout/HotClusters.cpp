// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/HotClusters.h"

#include "hybrid/layout/Moves.h"
#include "hybrid/layout/OrderPrice.h"

#include <algorithm>

namespace kst {

HotClusters::HotClusters(const SearchSpace &Space)
    : Space(Space), Hot(Space.brickCount()) {
  std::vector<uint32_t> ByHeat = Space.declared();
  std::ranges::stable_sort(ByHeat, [&](uint32_t A, uint32_t B) {
    return Space.shape(A).Heat > Space.shape(B).Heat;
  });
  double All = 0, Sum = 0;
  for (uint32_t U : ByHeat)
    All += Space.shape(U).Heat;
  for (uint32_t U : ByHeat) {
    if (Sum >= HotShare * All)
      break;
    Hot[U] = Space.shape(U).Heat > 0;
    Sum += Space.shape(U).Heat;
  }
}

size_t HotClusters::coldBetween(const MoveUnitOrder &Order) const {
  const Layout Plan = Space.layout(Order);
  const uint64_t LineBits = 8ull * Space.model().options().LineBytes;
  size_t Count = 0, Pending = 0;
  uint64_t Line = ~0ull; ///< of the last move unit
  bool HotBefore = false;
  for (uint32_t U : Order) {
    const MoveUnit &Here = Space.rules().bricks()[U];
    const uint32_t Last = Here.Fields.back();
    const uint64_t Bits = Space.model().extentBits(Last);
    if (!Bits)
      continue;
    const uint64_t First = Plan.OffsetBits[Here.Fields.front()] / LineBits;
    const uint64_t End = (Plan.OffsetBits[Last] + Bits - 1) / LineBits;
    if (First != Line) {
      HotBefore = false;
      Pending = 0;
    }
    if (Hot[U]) {
      Count += HotBefore ? Pending : 0;
      Pending = 0;
      HotBefore = true;
    } else if (End != First) {
      HotBefore = false;
      Pending = 0;
    } else {
      ++Pending;
    }
    Line = End;
  }
  return Count;
}

MoveUnitOrder HotClusters::closed(MoveUnitOrder Order, uint64_t Budget) const {
  const Constraints &Rules = Space.rules();
  OrderPrice Price(Space, Order);
  const double Most = Price.total() * (1 + 1e-9);
  std::vector<bool> Moved = movedUnits(Space, Order);
  const uint32_t Moves = moveCount(Rules, Moved);
  size_t Least = coldBetween(Order);
  for (bool Changed = true; Changed && Least;) {
    Changed = false;
    for (uint32_t U = 0; U < Order.size() && Price.work() < Budget; ++U) {
      if (!Moved[U] || !Rules.bricks()[U].Movable)
        continue;
      MoveUnitOrder Without = Order;
      std::erase(Without, U);
      for (size_t To = Rules.segmentBegin(U); To < Rules.segmentEnd(U); ++To) {
        MoveUnitOrder Trial = Without;
        Trial.insert(Trial.begin() + static_cast<std::ptrdiff_t>(To), U);
        size_t Count = coldBetween(Trial);
        if (Count >= Least || (Rules.floats() && !Rules.legal(Trial)) ||
            Price.trial(Trial) > Most)
          continue;
        std::vector<bool> Now = movedUnits(Space, Trial);
        if (moveCount(Rules, Now) > Moves)
          continue;
        Least = Count;
        Order = std::move(Trial);
        Moved = std::move(Now);
        Changed = true;
        break;
      }
    }
  }
  return Order;
}

} // namespace kst
