// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/OrderVariation.h"

#include "hybrid/layout/MoveTable.h"
#include "hybrid/layout/Moves.h"

#include <algorithm>
#include <functional>

namespace kst {

/// Steps that takeUp() and exchange() tell of one move unit or run.
static constexpr size_t ToldOfOne = 8;

OrderVariation::OrderVariation(const SearchSpace &Space, MoveTable &Table,
                               MoveUnitOrder From, uint64_t Steps)
    : Space(Space), Rules(Space.rules()), Table(Table), Order(std::move(From)),
      Price(Space, Order), Steps(Steps), Moved(movedUnits(Space, Order)),
      Moves(moveCount(Rules, Moved)), Position(Order.size()) {
  for (uint32_t At = 0; At < Order.size(); ++At)
    Position[Order[At]] = At;
  findPlaces();
}

/// Places worth a trial: where a line begins, and beside move units that
/// matter.
void OrderVariation::findPlaces() {
  Layout Plan = Space.layout(Order);
  const uint64_t LineBits = 8ull * Space.model().options().LineBytes;
  uint64_t LastLine = ~0ull;
  for (size_t At = 0; At < Order.size(); ++At) {
    const uint32_t U = Order[At];
    uint64_t Line = Plan.OffsetBits[Rules.bricks()[U].Fields[0]] / LineBits;
    bool Opens =
        At == 0 || Line != LastLine || !movable(U) || !movable(Order[At - 1]);
    bool Matters =
        Space.shape(U).Active || (At && Space.shape(Order[At - 1]).Active);
    LastLine = Line;
    if (Opens || Matters)
      Places.push_back({At, Line, Opens});
  }
  Places.push_back({Order.size(), LastLine + 1, true});
}

/// Moves that taking up the move units adds; 0 if they may not go together.
uint32_t OrderVariation::newMoves(size_t From, uint32_t Length) const {
  uint32_t New = 0;
  if (From + Length > Order.size())
    return 0;
  for (size_t At = From; At < From + Length; ++At) {
    const uint32_t U = Order[At];
    if (!movable(U) ||
        Rules.bricks()[U].Segment != Rules.bricks()[Order[From]].Segment)
      return 0;
    New += Moved[U] ? 0 : weight(U);
  }
  return New;
}

/// Makes Trial; false if the move units cannot go there or are there.
bool OrderVariation::moveTo(size_t From, uint32_t Length, size_t To) {
  const uint32_t U = Order[From];
  if (To < Rules.segmentBegin(U) || To > Rules.segmentEnd(U) ||
      (To >= From && To <= From + Length))
    return false;
  Trial = Order;
  moveRun(Trial, From, Length, To);
  return true;
}

/// Prices Trial and offers it. `Least`: it has no fewer moves, or is not
/// looked at as if it had.
double OrderVariation::consider(uint32_t Least) {
  double P = Price.trial(Trial);
  if (P < Table.priceWithin(Least))
    Table.offer(Trial, P);
  return P;
}

/// The best of the steps of one move unit or run.
static void tell(std::vector<Step> Told, std::vector<Step> &Tried) {
  std::ranges::stable_sort(Told, std::greater(), &Step::Gain);
  Told.resize(std::min(Told.size(), ToldOfOne));
  Tried.insert(Tried.end(), Told.begin(), Told.end());
}

void OrderVariation::moveEverywhere(size_t From, uint32_t Length,
                                    uint32_t Least, std::vector<Step> *Tried) {
  const uint32_t New = newMoves(From, Length);
  std::vector<Step> Told;
  uint64_t LastLine = ~0ull;
  for (const Place &To : Places) {
    if (spent())
      return;
    if ((Coarse && !To.Opens) || !moveTo(From, Length, To.At))
      continue;
    double P = consider(Least);
    if (!Tried || !New)
      continue;
    Step Here{Order[From], Length,
              To.At < Order.size() ? Order[To.At] : Space.brickCount(),
              (Price.total() - P) / New};
    if (Told.empty() || To.Line != LastLine)
      Told.push_back(Here);
    else if (Here.Gain > Told.back().Gain)
      Told.back() = Here;
    LastLine = To.Line;
  }
  if (Tried)
    tell(std::move(Told), *Tried);
}

void OrderVariation::putDown() {
  for (uint32_t U = 0; U < Order.size() && !spent(); ++U) {
    if (!Moved[U] || !movable(U))
      continue;
    std::vector<bool> Rest = Moved;
    Rest[U] = false;
    Trial = partOf(Rules, Order, Moved, Rest);
    consider(Moves - weight(U));
  }
}

void OrderVariation::replace(bool Coarsely) {
  Coarse = Coarsely;
  for (uint32_t U = 0; U < Order.size(); ++U)
    if (Moved[U] && movable(U))
      moveEverywhere(Position[U], 1, Moves - weight(U));
  Coarse = false;
}

void OrderVariation::takeUp(uint32_t Length, std::vector<Step> *Tried) {
  for (uint32_t Hot : Space.activeUnits())
    for (uint32_t Back = 0; Back < Length; ++Back) {
      if (Position[Hot] < Back)
        continue;
      size_t From = Position[Hot] - Back;
      // Once for each run: from the first move unit in it that matters.
      bool Seen = false;
      for (size_t At = From; At < Position[Hot]; ++At)
        Seen |= Space.shape(Order[At]).Active && movable(Order[At]);
      uint32_t New = newMoves(From, Length);
      if (New && !Seen)
        moveEverywhere(From, Length, Moves + New, Tried);
    }
}

void OrderVariation::takeUpCold() {
  for (uint32_t U = 0; U < Order.size(); ++U)
    if (!Moved[U] && movable(U) && !Space.shape(U).Active)
      moveEverywhere(Position[U], 1, Moves + weight(U));
}

void OrderVariation::exchange(std::vector<Step> *Tried) {
  for (uint32_t U : Space.activeUnits()) {
    std::vector<Step> Told;
    for (uint32_t V = 0; V < Order.size() && !spent(); ++V) {
      const MoveUnitShape &Mine = Space.shape(U), &Other = Space.shape(V);
      if (V == U || !movable(V) || (Other.Active && V < U) ||
          Rules.bricks()[V].Segment != Rules.bricks()[U].Segment ||
          !Other.sameRoom(Mine))
        continue;
      Trial = Order;
      std::swap(Trial[Position[U]], Trial[Position[V]]);
      uint32_t New = (Moved[U] ? 0 : weight(U)) + (Moved[V] ? 0 : weight(V));
      double P = consider(New ? Moves + New : Moves - weight(U));
      if (New)
        Told.push_back({U, 0, V, (Price.total() - P) / New});
    }
    if (Tried)
      tell(std::move(Told), *Tried);
  }
}

void OrderVariation::gather(const std::vector<uint32_t> &Group) {
  uint32_t New = 0;
  std::vector<bool> In(Order.size());
  for (uint32_t U : Group) {
    New += Moved[U] ? 0 : weight(U);
    In[U] = true;
  }
  if (!New)
    return;
  for (const Place &To : Places) {
    if (!To.Opens || To.At < Rules.segmentBegin(Group.front()) ||
        To.At > Rules.segmentEnd(Group.front()))
      continue;
    if (spent())
      return;
    Trial.clear();
    for (size_t At = 0; At <= Order.size(); ++At) {
      if (At == To.At)
        Trial.insert(Trial.end(), Group.begin(), Group.end());
      if (At < Order.size() && !In[Order[At]])
        Trial.push_back(Order[At]);
    }
    consider(Moves + New);
  }
}

void OrderVariation::repeat(Step &Again) {
  const uint32_t U = Again.MoveUnit;
  uint32_t New = 0;
  if (Again.Length == 0) {
    const uint32_t V = Again.Before;
    New = (Moved[U] ? 0 : weight(U)) + (Moved[V] ? 0 : weight(V));
    Trial = Order;
    std::swap(Trial[Position[U]], Trial[Position[V]]);
  } else {
    New = newMoves(Position[U], Again.Length);
    size_t To =
        Again.Before < Order.size() ? Position[Again.Before] : Order.size();
    if (!New || !moveTo(Position[U], Again.Length, To))
      return;
  }
  if (New && !spent())
    Again.Gain = (Price.total() - consider(Moves + New)) / New;
}

void OrderVariation::follow(uint32_t MoveUnit, uint32_t Other) {
  uint32_t New = movable(MoveUnit) && !Moved[MoveUnit] ? weight(MoveUnit) : 0;
  for (size_t To : {Position[Other], Position[Other] + 1})
    if (New && !spent() && moveTo(Position[MoveUnit], 1, To))
      consider(Moves + New);
}

} // namespace kst
