// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/Moves.h"

#include <algorithm>

namespace kst {

namespace {

/// Prefix maxima over the move units, with the position that reached them.
class BestEnding {
public:
  static constexpr uint32_t Nowhere = ~0u;
  struct Tail {
    uint64_t Weight = 0;
    uint32_t At = Nowhere;
  };

  explicit BestEnding(size_t MoveUnits) : Tree(MoveUnits + 1) {}

  /// The heaviest sequence that ends before move unit U.
  Tail before(uint32_t U) const {
    Tail Best;
    for (uint32_t I = U; I; I &= I - 1)
      if (Tree[I].Weight > Best.Weight)
        Best = Tree[I];
    return Best;
  }
  void add(uint32_t U, Tail T) {
    for (uint32_t I = U + 1; I < Tree.size(); I += I & (~I + 1))
      if (T.Weight > Tree[I].Weight)
        Tree[I] = T;
  }

private:
  std::vector<Tail> Tree;
};

} // namespace

std::vector<bool> movedUnits(const SearchSpace &Space,
                             std::span<const uint32_t> MoveUnitOrder) {
  const auto &MoveUnits = Space.rules().bricks();
  const auto &Active = Space.activeUnits();
  // First fewest fields, then coldness: its rank, less than Field in total.
  const uint64_t Field = (Active.size() + 1) * MoveUnits.size() + 1;
  std::vector<uint64_t> Weights(MoveUnits.size(), Active.size());
  for (size_t Rank = 0; Rank < Active.size(); ++Rank)
    Weights[Active[Rank]] = Rank;
  uint64_t All = 0;
  for (uint32_t U = 0; U < MoveUnits.size(); ++U)
    All += Weights[U] += Field * MoveUnits[U].Fields.size();
  BestEnding Tails(MoveUnits.size());
  std::vector<uint32_t> Back(MoveUnitOrder.size());
  for (uint32_t At = 0; At < MoveUnitOrder.size(); ++At) {
    const uint32_t U = MoveUnitOrder[At];
    auto Tail = Tails.before(U);
    Back[At] = Tail.At;
    // One that may not move outweighs all that may.
    Tails.add(
        U, {Tail.Weight + Weights[U] + (MoveUnits[U].Movable ? 0 : All), At});
  }
  std::vector<bool> Moved(MoveUnits.size(), true);
  for (uint32_t At = Tails.before(static_cast<uint32_t>(MoveUnits.size())).At;
       At != BestEnding::Nowhere; At = Back[At])
    Moved[MoveUnitOrder[At]] = false;
  return Moved;
}

std::vector<bool> movedUnits(std::span<const uint32_t> MoveUnitOrder) {
  // Patience sorting; Back[i] is the position before i in the best sequence
  // that ends at i.
  constexpr size_t NoPosition = ~size_t(0);
  std::vector<size_t> Tails, Back(MoveUnitOrder.size(), NoPosition);
  for (size_t I = 0; I < MoveUnitOrder.size(); ++I) {
    auto At = std::lower_bound(
        Tails.begin(), Tails.end(), MoveUnitOrder[I],
        [&](size_t Tail, uint32_t U) { return MoveUnitOrder[Tail] < U; });
    if (At != Tails.begin())
      Back[I] = *std::prev(At);
    if (At == Tails.end())
      Tails.push_back(I);
    else
      *At = I;
  }
  std::vector<bool> Moved(MoveUnitOrder.size(), true);
  if (!Tails.empty())
    for (size_t I = Tails.back(); I != NoPosition; I = Back[I])
      Moved[MoveUnitOrder[I]] = false;
  return Moved;
}

uint32_t moveCount(const Constraints &Rules, const std::vector<bool> &Moved) {
  size_t Count = 0;
  for (uint32_t U = 0; U < Moved.size(); ++U)
    if (Moved[U])
      Count += Rules.bricks()[U].Fields.size();
  return static_cast<uint32_t>(Count);
}

void moveRun(MoveUnitOrder &Order, size_t From, size_t Length, size_t To) {
  auto It = [&](size_t At) {
    return Order.begin() + static_cast<std::ptrdiff_t>(At);
  };
  if (To <= From)
    std::rotate(It(To), It(From), It(From + Length));
  else
    std::rotate(It(From), It(From + Length), It(To));
}

std::vector<uint32_t> partOf(const Constraints &Rules,
                             std::span<const uint32_t> Goal,
                             const std::vector<bool> &Moved,
                             const std::vector<bool> &Taken) {
  const uint32_t N = static_cast<uint32_t>(Goal.size());
  // After[u]: the move units at home behind u, in declaration order; index N:
  // those that open their segment.
  std::vector<std::vector<uint32_t>> After(N);
  std::vector<uint32_t> Open;
  for (uint32_t U = 0; U < N; ++U) {
    if (!Moved[U] || Taken[U])
      continue;
    uint32_t H = U;
    while (H-- > Rules.segmentBegin(U))
      if (!Moved[H])
        break;
    if (H + 1 == Rules.segmentBegin(U)) // none found; may have wrapped
      Open.push_back(U);
    else
      After[H].push_back(U);
  }
  std::vector<uint32_t> Order;
  Order.reserve(N);
  size_t NextOpen = 0;
  for (uint32_t At = 0; At < N; ++At) {
    const uint32_t U = Goal[At];
    while (NextOpen < Open.size() && Rules.segmentBegin(Open[NextOpen]) == At)
      Order.push_back(Open[NextOpen++]);
    if (Moved[U] && !Taken[U])
      continue;
    Order.push_back(U);
    if (!Moved[U])
      Order.insert(Order.end(), After[U].begin(), After[U].end());
  }
  // A group that is only partly back is where its first move unit is.
  return Rules.floats() ? Rules.mended(Order) : Order;
}

} // namespace kst
