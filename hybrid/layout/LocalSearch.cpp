// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/LocalSearch.h"

#include "hybrid/layout/Moves.h"

#include <algorithm>

namespace kst {

LocalSearch::LocalSearch(const SearchSpace &Space, MoveUnitOrder Start)
    : Space(Space), Order(std::move(Start)), Trial(Order),
      Position(Order.size()), State(Space, Order),
      Tolerance(1e-9 * std::max(State.price().total(), 1e-300)) {
  for (uint32_t At = 0; At < Order.size(); ++At)
    Position[Order[At]] = At;
}

double LocalSearch::priceOfMove(size_t From, size_t Length, size_t To) {
  Trial = Order;
  moveRun(Trial, From, Length, To);
  return State.trial(Trial);
}

double LocalSearch::priceOfSwap(size_t A, size_t B) {
  Trial = Order;
  std::swap(Trial[A], Trial[B]);
  return State.trial(Trial);
}

void LocalSearch::adopt() {
  State.commit();
  Order = Trial;
  for (uint32_t At = 0; At < Order.size(); ++At)
    Position[Order[At]] = At;
}

/// Whether the order last tried is legal; within segments all are.
bool LocalSearch::allowed() const {
  return !Space.rules().floats() || Space.rules().legal(Trial);
}

bool LocalSearch::movableRun(size_t From, size_t Length) const {
  const auto &MoveUnits = Space.rules().bricks();
  for (size_t At = From; At < From + Length; ++At)
    if (At >= Order.size() || !MoveUnits[Order[At]].Movable ||
        MoveUnits[Order[At]].Segment != MoveUnits[Order[From]].Segment)
      return false;
  return true;
}

/// Places beside move units that the evidence speaks of, and beside anchors; in
/// a stretch of cold move units one place is as good as another.
bool LocalSearch::worthTrying(size_t At) const {
  auto Counts = [&](size_t P) {
    return P >= Order.size() || Space.shape(Order[P]).Active ||
           Space.rules().bricks()[Order[P]].Anchor;
  };
  return At == 0 || Counts(At) || Counts(At - 1);
}

/// Tries everything with one move unit, until the clock shows Stop, and adopts
/// the best that improves.
bool LocalSearch::improveUnit(uint32_t MoveUnit, uint64_t Stop) {
  const auto &MoveUnits = Space.rules().bricks();
  const size_t From = Position[MoveUnit];
  const size_t Begin = Space.rules().zoneBegin(MoveUnit);
  const size_t End = Space.rules().zoneEnd(MoveUnit);
  double Best = State.total() - Tolerance;
  enum { Nothing, Move, Swap } What = Nothing;
  size_t BestLength = 0, BestTo = 0;

  const MoveUnitShape &Mine = Space.shape(MoveUnit);
  for (size_t To = Begin; To < End && work() < Stop; ++To) {
    uint32_t Other = Order[To];
    const MoveUnitShape &Shape = Space.shape(Other);
    if (To == From || !MoveUnits[Other].Movable)
      continue;
    // Two active move units are seen from both sides; once is enough.
    if (Shape.Active ? Other < MoveUnit : !Shape.sameRoom(Mine))
      continue;
    if (double Price = priceOfSwap(From, To); Price < Best && allowed()) {
      Best = Price;
      What = Swap;
      BestTo = To;
    }
  }
  for (size_t Length = 1; Length <= 3 && movableRun(From, Length); ++Length)
    for (size_t To = Begin; To <= End && work() < Stop; ++To) {
      if (To >= From && To <= From + Length)
        continue;
      if (To != Begin && To != End && !worthTrying(To))
        continue;
      if (double Price = priceOfMove(From, Length, To);
          Price < Best && allowed()) {
        Best = Price;
        What = Move;
        BestLength = Length;
        BestTo = To;
      }
    }
  if (What == Nothing)
    return false;
  What == Move ? priceOfMove(From, BestLength, BestTo)
               : priceOfSwap(From, BestTo);
  adopt();
  return true;
}

/// The same for all move units of a group at once.
bool LocalSearch::improveGroup(const MoveUnitGroup &Group, uint64_t Stop) {
  const size_t Length = Group.End - Group.Begin;
  const size_t From = *std::min_element(Position.begin() + Group.Begin,
                                        Position.begin() + Group.End);
  const size_t End = Space.rules().zoneEnd(Group.Begin);
  double Best = State.total() - Tolerance;
  size_t BestTo = From;
  for (size_t To = Space.rules().zoneBegin(Group.Begin);
       To <= End && work() < Stop; ++To) {
    if ((To >= From && To <= From + Length) || !worthTrying(To))
      continue;
    if (double Price = priceOfMove(From, Length, To);
        Price < Best && allowed()) {
      Best = Price;
      BestTo = To;
    }
  }
  if (BestTo == From)
    return false;
  priceOfMove(From, Length, BestTo);
  adopt();
  return true;
}

void LocalSearch::improve(uint64_t Budget) {
  const uint64_t Stop = work() + Budget;
  for (bool Improved = true; Improved;) {
    Improved = false;
    for (uint32_t MoveUnit : Space.activeUnits()) {
      if (work() >= Stop)
        return;
      Improved |= improveUnit(MoveUnit, Stop);
    }
    for (const MoveUnitGroup &Group : Space.rules().groups())
      if (Group.Movable && work() < Stop)
        Improved |= improveGroup(Group, Stop);
  }
}

size_t LocalSearch::home(uint32_t MoveUnit,
                         const std::vector<bool> &Moved) const {
  const auto &MoveUnits = Space.rules().bricks();
  for (uint32_t U = MoveUnit; U-- > Space.rules().segmentBegin(MoveUnit);)
    if (!Moved[U] && MoveUnits[U].Segment == MoveUnits[MoveUnit].Segment)
      return Position[U] + 1;
  return Space.rules().segmentBegin(MoveUnit);
}

void LocalSearch::settle(uint64_t Budget) {
  const uint64_t Stop = work() + Budget;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (uint32_t MoveUnit = 0; MoveUnit < Order.size(); ++MoveUnit) {
      std::vector<bool> Moved = movedUnits(Order);
      if (!Moved[MoveUnit] || !Space.rules().bricks()[MoveUnit].Movable)
        continue;
      if (work() >= Stop)
        return;
      size_t From = Position[MoveUnit], To = home(MoveUnit, Moved);
      if (To == From || To == From + 1)
        continue;
      if (priceOfMove(From, 1, To) > State.total() + Tolerance || !allowed())
        continue;
      adopt();
      Changed = true;
    }
  }
}

} // namespace kst
