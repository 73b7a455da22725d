// SPDX-License-Identifier: GPL-2.0-or-later
//
// See MoveTable.h.

#include "hybrid/layout/MoveTable.h"

#include "hybrid/layout/Moves.h"

#include <algorithm>

namespace kst {

namespace {

/// One order of the table and its neighbours.
class Variation {
public:
  Variation(const SearchSpace &Space, MoveTable &Table, UnitOrder From,
            uint64_t Steps)
      : Space(Space), Rules(Space.rules()), Table(Table),
        Order(std::move(From)), Price(Space, Order), Steps(Steps),
        Moved(movedUnits(Space, Order)), Moves(moveCount(Rules, Moved)),
        Position(Order.size()) {
    for (uint32_t At = 0; At < Order.size(); ++At)
      Position[Order[At]] = At;
    findPlaces();
  }

  uint64_t work() const { return Price.work(); }

  /// Units that have moved: elsewhere, or home.
  void replace() {
    for (uint32_t U = 0; U < Order.size(); ++U) {
      if (!Moved[U] || !movable(U))
        continue;
      std::vector<bool> Rest = Moved;
      Rest[U] = false;
      Trial = partOf(Rules, Order, Moved, Rest);
      consider(Moves - weight(U));
      moveEverywhere(Position[U], 1, Moves - weight(U));
    }
  }

  /// Units that have not moved: one more, and short runs of them.
  void takeUp() {
    for (uint32_t U : Space.activeUnits())
      if (!Moved[U])
        moveEverywhere(Position[U], 1, Moves + weight(U));
    for (uint32_t Length = 2; Length <= 3; ++Length)
      for (size_t From = 0; From + Length <= Order.size(); ++From)
        takeUpRun(From, Length);
    // Units that nothing speaks of can still make room.
    for (uint32_t U = 0; U < Order.size(); ++U)
      if (!Moved[U] && movable(U) && !Space.shape(U).Active)
        moveEverywhere(Position[U], 1, Moves + weight(U));
  }

  /// Two units of the same shape trade places: nothing else moves.
  void exchange() {
    for (uint32_t U : Space.activeUnits())
      for (uint32_t V = 0; V < Order.size(); ++V) {
        const UnitShape &Mine = Space.shape(U), &Other = Space.shape(V);
        if (V == U || !movable(V) || (Other.Active && V < U) ||
            Rules.units()[V].Segment != Rules.units()[U].Segment ||
            Other.SizeBytes != Mine.SizeBytes ||
            Other.AlignBytes != Mine.AlignBytes)
          continue;
        Trial = Order;
        std::swap(Trial[Position[U]], Trial[Position[V]]);
        uint32_t New = (Moved[U] ? 0 : weight(U)) + (Moved[V] ? 0 : weight(V));
        consider(New ? Moves + New : std::min(Moves, Moves - weight(U)));
      }
  }

  /// All units of a group to one place.
  void gather(const std::vector<uint32_t> &Group) {
    uint32_t New = 0;
    for (uint32_t U : Group)
      New += Moved[U] ? 0 : weight(U);
    if (!New)
      return;
    std::vector<bool> In(Order.size());
    for (uint32_t U : Group)
      In[U] = true;
    for (size_t To : Places) {
      if (To < Rules.segmentBegin(Group.front()) ||
          To > Rules.segmentEnd(Group.front()))
        continue;
      Trial.clear();
      for (size_t At = 0; At <= Order.size(); ++At) {
        if (At == To)
          Trial.insert(Trial.end(), Group.begin(), Group.end());
        if (At < Order.size() && !In[Order[At]])
          Trial.push_back(Order[At]);
      }
      consider(Moves + New);
    }
  }

private:
  bool movable(uint32_t U) const { return Rules.units()[U].Movable; }
  uint32_t weight(uint32_t U) const {
    return static_cast<uint32_t>(Rules.units()[U].Fields.size());
  }

  /// Places worth a trial: where a line begins or bytes are lost, and beside
  /// units that matter.
  void findPlaces() {
    Layout Plan = Space.layout(Order);
    const uint64_t LineBits = 8ull * Space.model().options().LineBytes;
    uint64_t LastLine = ~0ull;
    for (size_t At = 0; At < Order.size(); ++At) {
      const uint32_t U = Order[At];
      uint64_t Line = Plan.OffsetBits[Rules.units()[U].Fields[0]] / LineBits;
      bool Fence = !movable(U);
      bool Opens =
          At == 0 || Line != LastLine || Fence || !movable(Order[At - 1]);
      bool Matters =
          Space.shape(U).Active || (At && Space.shape(Order[At - 1]).Active);
      LastLine = Line;
      if (Opens || Matters)
        Places.push_back(At);
    }
    Places.push_back(Order.size());
  }

  void moveEverywhere(size_t From, size_t Length, uint32_t Least) {
    const uint32_t U = Order[From];
    for (size_t To : Places) {
      if (To < Rules.segmentBegin(U) || To > Rules.segmentEnd(U) ||
          (To >= From && To <= From + Length))
        continue;
      Trial = Order;
      auto It = [&](size_t At) {
        return Trial.begin() + static_cast<std::ptrdiff_t>(At);
      };
      if (To < From)
        std::rotate(It(To), It(From), It(From + Length));
      else
        std::rotate(It(From), It(From + Length), It(To));
      consider(Least);
    }
  }

  void takeUpRun(size_t From, uint32_t Length) {
    uint32_t New = 0;
    bool Matters = false;
    for (size_t At = From; At < From + Length; ++At) {
      const uint32_t U = Order[At];
      if (!movable(U) ||
          Rules.units()[U].Segment != Rules.units()[Order[From]].Segment)
        return;
      Matters |= Space.shape(U).Active;
      New += Moved[U] ? 0 : weight(U);
    }
    if (New && Matters)
      moveEverywhere(From, Length, Moves + New);
  }

  /// Offers Trial. `Least`: it cannot have fewer moves, or at least is not
  /// looked at as if it had.
  void consider(uint32_t Least) {
    if (Price.work() >= Steps)
      return;
    double P = Price.trial(Trial);
    if (P < Table.priceWithin(Least))
      Table.offer(Trial, P);
  }

  const SearchSpace &Space;
  const Constraints &Rules;
  MoveTable &Table;
  UnitOrder Order, Trial;
  OrderPrice Price;
  uint64_t Steps;
  std::vector<bool> Moved;
  uint32_t Moves;
  std::vector<uint32_t> Position;
  std::vector<size_t> Places;
};

} // namespace

MoveTable::MoveTable(const SearchSpace &Space, uint32_t MaxMoves)
    : Space(Space) {
  size_t Fields = 0;
  for (const Unit &U : Space.rules().units())
    Fields += U.Fields.size();
  Entries.resize(std::min<size_t>(Fields, MaxMoves) + 1);
  UnitOrder Declared = Space.declared();
  double Price = Space.price(Declared);
  Tolerance = 1e-9 * Price;
  Within.assign(Entries.size(), Price);
  Entries[0] = {true, false, Price, std::move(Declared)};
}

double MoveTable::priceWithin(uint32_t Moves) const {
  return Within[std::min<size_t>(Moves, Within.size() - 1)] - Tolerance;
}

void MoveTable::offer(const UnitOrder &Order, double Price) {
  uint32_t Moves = moveCount(Space.rules(), movedUnits(Space, Order));
  if (Moves >= Entries.size() || Price >= priceWithin(Moves))
    return;
  Entries[Moves] = {true, false, Price, Order};
  for (size_t M = Moves; M < Within.size(); ++M) {
    Within[M] = std::min(Within[M], Price);
    if (M > Moves && Entries[M].Known && Entries[M].Price > Price - Tolerance)
      Entries[M] = {};
  }
}

void MoveTable::vary(uint32_t Moves, uint64_t Steps) {
  const UnitOrder From = Entries[Moves].Order;
  Variation V(Space, *this, From, Steps);
  auto Replaced = [&] { return Entries[Moves].Order != From; };
  V.replace();
  if (!Replaced()) {
    V.exchange();
    if (!Replaced() && Moves + 1 < Entries.size()) {
      V.takeUp();
      for (const auto &Group : Groups)
        V.gather(Group);
    }
  }
  Work += V.work();
  if (!Replaced())
    Entries[Moves].Varied = true;
}

/// The units of each line of Guide, those that have moved, by segment.
void MoveTable::findGroups(const UnitOrder &Guide) {
  const Constraints &Rules = Space.rules();
  const uint64_t LineBits = 8ull * Space.model().options().LineBytes;
  std::vector<bool> Moved = movedUnits(Space, Guide);
  Layout Plan = Space.layout(Guide);
  uint64_t LastLine = ~0ull;
  uint32_t LastSegment = ~0u;
  for (uint32_t U : Guide) {
    uint64_t Line = Plan.OffsetBits[Rules.units()[U].Fields[0]] / LineBits;
    uint32_t Segment = Rules.units()[U].Segment;
    if (Line != LastLine || Segment != LastSegment)
      Groups.emplace_back();
    LastLine = Line;
    LastSegment = Segment;
    if (Moved[U] && Space.shape(U).Active)
      Groups.back().push_back(U);
  }
  std::erase_if(Groups, [](const auto &G) { return G.size() < 2; });
}

void MoveTable::search(const UnitOrder &Guide, uint64_t Budget) {
  findGroups(Guide);
  const uint64_t Stop = Work + Budget;
  for (uint32_t Moves = 0; Moves < Entries.size() && Work < Stop;) {
    if (!Entries[Moves].Known || Entries[Moves].Varied) {
      ++Moves;
      continue;
    }
    vary(Moves, Stop - Work);
    // A cheaper order with fewer moves may have turned up.
    for (uint32_t M = 0; M < Moves; ++M)
      if (Entries[M].Known && !Entries[M].Varied)
        Moves = M;
  }
}

} // namespace kst
