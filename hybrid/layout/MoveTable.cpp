// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/MoveTable.h"

#include "hybrid/layout/Moves.h"

#include <algorithm>

namespace kst {

/// Of the steps tried before, those that are repeated around an entry.
static constexpr size_t BestTried = 400;
/// MoveUnits that follow one that has moved.
static constexpr size_t MostPartners = 6;

MoveTable::MoveTable(const SearchSpace &Space, uint32_t MaxMoves)
    : Space(Space) {
  size_t Fields = 0;
  for (const MoveUnit &U : Space.rules().bricks())
    Fields += U.Fields.size();
  Entries.resize(std::min<size_t>(Fields, MaxMoves) + 1);
  MoveUnitOrder Declared = Space.declared();
  double Price = Space.price(Declared);
  Tolerance = 1e-9 * Price;
  Within.assign(Entries.size(), Price);
  Entries[0] = {true, false, Price, std::move(Declared)};
}

double MoveTable::priceWithin(uint32_t Moves) const {
  return Within[std::min<size_t>(Moves, Within.size() - 1)] - Tolerance;
}

void MoveTable::offer(const MoveUnitOrder &Order, double Price) {
  uint32_t Moves = moveCount(Space, Order);
  if (Moves >= Entries.size() || Price >= priceWithin(Moves))
    return;
  // What is made by positions may cut through a group that has moved.
  if (Space.rules().floats() && !Space.rules().legal(Order))
    return;
  Entries[Moves] = {true, false, Price, Order};
  for (size_t M = Moves; M < Within.size(); ++M) {
    Within[M] = std::min(Within[M], Price);
    if (M > Moves && Entries[M].Known && Entries[M].Price > Price - Tolerance)
      Entries[M] = {};
  }
}

/// Everything there is to try around an entry.
void MoveTable::vary(uint32_t Moves, uint64_t Steps) {
  const MoveUnitOrder From = Entries[Moves].Order;
  OrderVariation V(Space, *this, From, Steps);
  auto Replaced = [&] { return Entries[Moves].Order != From; };
  V.putDown();
  V.replace(false);
  if (!Replaced())
    V.exchange();
  if (!Replaced() && Moves + 1 < Entries.size()) {
    for (uint32_t Length = 1; Length <= 3; ++Length)
      V.takeUp(Length);
    V.takeUpCold();
    for (const auto &Group : Groups)
      V.gather(Group);
  }
  Work += V.work();
  if (!Replaced())
    Entries[Moves].Varied = true;
}

/// Tries everything once around the declared order and remembers the best.
void MoveTable::look(uint64_t Steps) {
  OrderVariation V(Space, *this, Space.declared(), Steps);
  V.takeUp(1, &Tried);
  V.exchange(&Tried);
  for (const auto &Group : Groups)
    V.gather(Group);
  for (uint32_t Length = 2; Length <= 3; ++Length)
    V.takeUp(Length, &Tried);
  Work += V.work();
}

/// Around an entry, what gained most where it was tried last, and what goes
/// with that which has moved.
void MoveTable::varyQuickly(uint32_t Moves, uint64_t Steps) {
  OrderVariation V(Space, *this, MoveUnitOrder(Entries[Moves].Order), Steps);
  V.putDown();
  V.replace(true);
  if (Moves + 1 < Entries.size()) {
    size_t Best = std::min(Tried.size(), BestTried);
    std::partial_sort(Tried.begin(),
                      Tried.begin() + static_cast<std::ptrdiff_t>(Best),
                      Tried.end(), [](const Step &A, const Step &B) {
                        return A.Gain != B.Gain ? A.Gain > B.Gain
                               : A.MoveUnit != B.MoveUnit
                                   ? A.MoveUnit < B.MoveUnit
                               : A.Length != B.Length ? A.Length < B.Length
                                                      : A.Before < B.Before;
                      });
    for (size_t I = 0; I < Best; ++I)
      V.repeat(Tried[I]);
    for (uint32_t U = 0; U < Partners.size(); ++U)
      if (V.moved(U))
        for (uint32_t Partner : Partners[U])
          V.follow(Partner, U);
    for (const auto &Group : Groups)
      V.gather(Group);
  }
  Work += V.work();
}

/// For each move unit those that are used with it most.
void MoveTable::findPartners() {
  const uint32_t N = Space.brickCount();
  std::vector<double> Together(N * N);
  for (const SearchConfig &In : Space.configs()) {
    auto MoveUnitOf = [&](uint32_t Extent) {
      return Space.rules().moveUnitOf(In.Model->extents()[Extent].Field);
    };
    for (size_t S = 0; S < In.Model->setCount(); ++S)
      for (auto [E, P, Written] : In.Model->touches(S))
        for (auto [F, Q, WrittenToo] : In.Model->touches(S))
          Together[MoveUnitOf(E) * N + MoveUnitOf(F)] +=
              In.Share * In.Model->weight(S) * P * Q;
  }
  Partners.assign(N, {});
  for (uint32_t U = 0; U < N; ++U) {
    auto &Mine = Partners[U];
    for (uint32_t V = 0; V < N; ++V)
      if (V != U && Together[U * N + V] > 0)
        Mine.push_back(V);
    std::ranges::stable_sort(Mine, [&](uint32_t A, uint32_t B) {
      return Together[U * N + A] > Together[U * N + B];
    });
    Mine.resize(std::min(Mine.size(), MostPartners));
  }
}

/// The move units of each line of Guide, those that have moved, by segment.
void MoveTable::findGroups(const MoveUnitOrder &Guide) {
  const Constraints &Rules = Space.rules();
  const uint64_t LineBits = 8ull * Space.model().options().LineBytes;
  std::vector<bool> Moved = movedUnits(Space, Guide);
  Layout Plan = Space.layout(Guide);
  uint64_t LastLine = ~0ull;
  uint32_t LastSegment = ~0u;
  for (uint32_t U : Guide) {
    uint64_t Line = Plan.OffsetBits[Rules.bricks()[U].Fields[0]] / LineBits;
    uint32_t Segment = Rules.bricks()[U].Segment;
    if (Line != LastLine || Segment != LastSegment)
      Groups.emplace_back();
    LastLine = Line;
    LastSegment = Segment;
    if (Moved[U] && Space.shape(U).Active)
      Groups.back().push_back(U);
  }
  std::erase_if(Groups, [](const auto &G) { return G.size() < 2; });
}

void MoveTable::search(const MoveUnitOrder &Guide, uint64_t Budget) {
  findGroups(Guide);
  findPartners();
  const uint64_t Stop = Work + Budget;
  auto Left = [&] { return Stop - std::min(Stop, Work); };

  look(Budget / 4);
  const uint32_t Last = std::min<uint32_t>(
      static_cast<uint32_t>(Entries.size()), moveCount(Space, Guide) + 1);
  // Quickly once over all, most of it around few moves; then thoroughly.
  auto Share = [&](uint32_t Moves) {
    double Rest = 0;
    for (uint32_t M = Moves; M < Last; ++M)
      Rest += 1.0 / (M + 8);
    return std::min(1.0, 2.0 / (Moves + 8) / Rest);
  };
  const uint64_t Until = Work + Left() * 3 / 4;
  for (uint32_t Moves = 0; Moves < Last && Work < Until; ++Moves)
    if (Entries[Moves].Known)
      varyQuickly(Moves, static_cast<uint64_t>(
                             static_cast<double>(Until - Work) * Share(Moves)));
  for (uint32_t Moves = 0; Moves < Entries.size() && Left();) {
    if (!Entries[Moves].Known || Entries[Moves].Varied) {
      ++Moves;
      continue;
    }
    vary(Moves, Left());
    // A cheaper order with fewer moves may have turned up.
    for (uint32_t M = 0; M < Moves; ++M)
      if (Entries[M].Known && !Entries[M].Varied)
        Moves = M;
  }
}

} // namespace kst
