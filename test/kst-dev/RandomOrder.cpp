// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/kst-dev/RandomOrder.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace kst {

/// Up to five move units, each to some place of its segment.
static void carry(const Constraints &Rules, Chance &Dice,
                  std::vector<uint32_t> &Order) {
  for (uint32_t Left = 1 + Dice() % 5; Left; --Left) {
    uint32_t From = Dice() % Order.size(), U = Order[From];
    if (!Rules.bricks()[U].Movable)
      continue;
    uint32_t Begin = Rules.segmentBegin(U), End = Rules.segmentEnd(U);
    uint32_t To = Begin + Dice() % (End - Begin);
    Order.erase(Order.begin() + From);
    Order.insert(Order.begin() + To, U);
  }
}

/// Every segment in which all may move; anchors keep their order.
static void shuffle(const Constraints &Rules, Chance &Dice,
                    std::vector<uint32_t> &Order) {
  const std::vector<MoveUnit> &MoveUnits = Rules.bricks();
  auto Free = [&](uint32_t U) {
    return MoveUnits[U].Movable || MoveUnits[U].Anchor;
  };
  for (uint32_t Begin = 0; Begin != Order.size();) {
    uint32_t End = Rules.segmentEnd(Begin);
    std::vector<uint32_t> Segment, Anchors;
    for (uint32_t U = Begin; U != End; ++U)
      Segment.push_back(U);
    if (llvm::all_of(Segment, Free))
      for (uint32_t I = Segment.size(); I > 1; --I)
        std::swap(Segment[I - 1], Segment[Dice() % I]);
    for (uint32_t U : Segment)
      if (MoveUnits[U].Anchor)
        Anchors.push_back(U);
    llvm::sort(Anchors);
    auto Next = Anchors.begin();
    for (uint32_t &U : Segment)
      if (MoveUnits[U].Anchor)
        U = *Next++;
    std::copy(Segment.begin(), Segment.end(), Order.begin() + Begin);
    Begin = End;
  }
}

/// Some groups, and move units beside them, to other places among their
/// siblings.
static void cross(const Constraints &Rules, Chance &Dice,
                  std::vector<uint32_t> &Order) {
  for (uint32_t Left = 20; Left; --Left) {
    uint32_t From = Dice() % Order.size(), Length = 1;
    for (const MoveUnitGroup &G : Rules.groups())
      if (G.Movable && G.Begin <= Order[From] && Order[From] < G.End &&
          Dice() % 2) {
        Length = G.End - G.Begin;
        while (From && Order[From - 1] >= G.Begin && Order[From - 1] < G.End)
          --From;
        break;
      }
    if (Length == 1 && !Rules.bricks()[Order[From]].Movable)
      continue;
    std::vector<uint32_t> Trial = Order;
    auto First = Trial.begin() + From;
    std::vector<uint32_t> Taken(First, First + Length);
    Trial.erase(First, First + Length);
    Trial.insert(Trial.begin() + Dice() % (Trial.size() + 1), Taken.begin(),
                 Taken.end());
    if (Rules.legal(Trial))
      Order = std::move(Trial);
  }
}

std::vector<uint32_t> randomOrder(const Constraints &Rules, Chance &Dice,
                                  bool Few) {
  std::vector<uint32_t> Order;
  for (uint32_t U = 0; U != Rules.bricks().size(); ++U)
    Order.push_back(U);
  if (!Rules.allFixed())
    (Few ? carry : shuffle)(Rules, Dice, Order);
  if (Rules.floats())
    cross(Rules, Dice, Order);
  return Rules.fields(Order);
}

} // namespace kst
