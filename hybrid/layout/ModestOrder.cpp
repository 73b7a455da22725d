// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/ModestOrder.h"

#include "hybrid/layout/HotClusters.h"
#include "hybrid/layout/MoveMinimizer.h"
#include "hybrid/layout/Moves.h"

#include <algorithm>

namespace kst {

namespace {

/// A moved move unit that does not help often enough.
struct WeakMove {
  uint32_t MoveUnit = 0;
  double Helps = 0;
};

/// The weakest first.
std::vector<WeakMove> weakMoves(const LayoutProblem &Problem,
                                const StableOrder &Of) {
  const std::vector<bool> Moved = movedUnits(Problem.space(), Of.Order);
  std::vector<WeakMove> Weak;
  size_t Next = 0; // Stability::Moves has the fields of the moved move units
  for (uint32_t U = 0; U < Moved.size(); ++U) {
    if (!Moved[U])
      continue;
    const Stability::Move &Move = Of.Weights.Moves[Next];
    if (double Share = std::min(Move.Survives, Move.Assumed);
        Share < MoveSurvives)
      Weak.push_back({U, Share});
    Next += Problem.rules().bricks()[U].Fields.size();
  }
  std::ranges::stable_sort(Weak, [](const WeakMove &A, const WeakMove &B) {
    return A.Helps < B.Helps;
  });
  return Weak;
}

MoveUnitOrder without(const LayoutProblem &Problem, const MoveUnitOrder &Order,
                      std::span<const WeakMove> Back) {
  const std::vector<bool> Moved = movedUnits(Problem.space(), Order);
  std::vector<bool> Taken = Moved;
  for (const WeakMove &Move : Back)
    Taken[Move.MoveUnit] = false;
  return partOf(Problem.rules(), Order, Moved, Taken);
}

/// The end of a walk home from each of the orders that moves fewest; of equal
/// ones the first.
MoveUnitOrder fewestMoves(const SearchSpace &Space,
                          const std::vector<MoveUnitOrder> &Starts,
                          double Limit, uint64_t Budget) {
  uint32_t Least = ~0u;
  MoveUnitOrder Fewest;
  for (const MoveUnitOrder &Start : Starts) {
    MoveMinimizer Walk(Space, Start);
    Walk.run(Limit, Budget / Starts.size());
    if (Walk.moves() < Least) {
      Least = Walk.moves();
      Fewest = Walk.order();
    }
  }
  return Fewest;
}

/// Of the point where the next moves no longer bring what reading them takes.
double worthwhilePrice(const SearchSpace &Space,
                       std::span<const FrontierOrder> Points) {
  const double Toll = MoveWorth * Points.front().Point.TotalCost;
  double Least = 0, Price = 0;
  for (const FrontierOrder &P : Points) {
    const double Mine = Space.price(P.Order);
    if (const double With = Mine + Toll * P.Point.Moves;
        &P == &Points.front() || With < Least) {
      Least = With;
      Price = Mine;
    }
  }
  return Price;
}

} // namespace

StableOrder modestOrder(const LayoutProblem &Problem,
                        std::span<const FrontierOrder> Points,
                        const StabilityOptions &Draws) {
  const LayoutOptions &Options = Problem.options();
  const SearchSpace &Space = Problem.space();
  const FrontierOrder &Best = Points.back();
  const double BestPrice = Space.price(Best.Order);
  double Limit = BestPrice + NearlyBest * Best.Point.TotalCost;
  if (!Options.MaxMoves)
    Limit = std::max(Limit, worthwhilePrice(Space, Points));
  // Less than the least gain by no more than rounding is none.
  if (double Worth =
          Space.price(Space.declared()) * (1 - Options.KeepBelow) * (1 - 1e-9);
      BestPrice <= Worth)
    Limit = std::min(Limit, Worth);

  StableOrder Result;
  for (const FrontierOrder &P : Points)
    if (Space.price(P.Order) <= Limit &&
        (!Options.MaxMoves || &P == &Points.back())) {
      Result.Order = P.Order;
      break;
    }
  if (!Options.MaxMoves)
    Result.Order = fewestMoves(Space, {Result.Order, Best.Order}, Limit,
                               Options.Budget / 2);
  const HotClusters Runs(Space);
  for (;;) {
    Result.Order = Runs.closed(std::move(Result.Order), Options.Budget / 16);
    Result.Weights = stability(Problem, Result.Order, Draws);
    std::vector<WeakMove> Weak = weakMoves(Problem, Result);
    if (Weak.empty())
      return Result;
    MoveUnitOrder Order = without(Problem, Result.Order, Weak);
    if (Space.price(Order) > Limit)
      Order = without(Problem, Result.Order, std::span(Weak).first(1));
    // A move unit cannot go home alone where the group around it has moved.
    if (moveCount(Space, Order) >= moveCount(Space, Result.Order))
      return Result;
    Result.Order = std::move(Order);
  }
}

} // namespace kst
