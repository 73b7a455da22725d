// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/Optimise.h"

#include "hybrid/layout/Baselines.h"
#include "hybrid/layout/LocalSearch.h"
#include "hybrid/layout/PackingSearch.h"
#include "hybrid/layout/Seeds.h"

#include <algorithm>

namespace kst {

std::vector<CertifiedBound> certifiedBounds(const LayoutProblem &Problem) {
  std::vector<CertifiedBound> Bounds;
  for (size_t M = 0; M < Problem.modelCount(); ++M)
    Bounds.push_back(certifiedBound(
        Problem.record(Problem.configOf(M)), Problem.model(M), Problem.rules(),
        Problem.options().Budget / Problem.modelCount()));
  return Bounds;
}

double objectiveBound(const LayoutProblem &Problem,
                      const std::vector<CertifiedBound> &Bounds) {
  double Sum = 0;
  for (size_t C = 0; C < Bounds.size(); ++C)
    Sum += Problem.share(C) * Bounds[C].Value;
  return Sum;
}

namespace {

/// An order that is known and what it costs.
struct Found {
  double Price = 0;
  MoveUnitOrder Order;
};

/// An order, improved by moves and swaps.
Found improved(const SearchSpace &Space, MoveUnitOrder Order, uint64_t Budget) {
  LocalSearch Walk(Space, std::move(Order));
  Walk.improve(Budget);
  return {Walk.total(), Walk.order()};
}

/// Tries to leave the local optimum; the order is never replaced by a worse.
void searchPackings(const SearchSpace &Space, Found &At, uint64_t Seed,
                    uint64_t Budget) {
  PackingSearch Repacked(Space, At.Order, Packing::Mode::Repack, Seed);
  Repacked.run(Budget / 3);
  if (MoveUnitOrder Order = Repacked.order(); Space.rules().legal(Order))
    if (Found New = improved(Space, std::move(Order), Budget / 3);
        New.Price < At.Price)
      At = std::move(New);

  PackingSearch Exchanged(Space, At.Order, Packing::Mode::Exchange, Seed);
  Exchanged.run(Budget / 3);
  if (MoveUnitOrder Order = Exchanged.order(); Space.rules().legal(Order))
    if (double Price = Space.price(Order); Price < At.Price)
      At = {Price, std::move(Order)};
}

} // namespace

MoveUnitOrder bestOrder(const LayoutProblem &Problem,
                        const std::vector<CertifiedBound> &Bounds) {
  const SearchSpace &Space = Problem.space();
  const uint64_t Budget = Problem.options().Budget;
  auto Start = seeds(Space, Problem.graph(), Bounds.front().Lines);
  // The seeds share half of the budget, the best of them and the packings get a
  // quarter each.
  std::vector<Found> All;
  for (Seed &S : Start)
    All.push_back(
        improved(Space, std::move(S.Order), Budget / 2 / Start.size()));
  std::ranges::stable_sort(
      All, [](const Found &A, const Found &B) { return A.Price < B.Price; });
  // A method of others may stand where no seed leads to.
  for (Baseline &Other : baselines(Space, Problem.graph()))
    if (double Price = Space.price(Other.Order); Price < All.front().Price)
      All.insert(All.begin(), {Price, std::move(Other.Order)});
  All.front() = improved(Space, std::move(All.front().Order), Budget / 4);

  // The best three take turns.
  constexpr uint64_t Rounds = 6, Starts = 3;
  for (uint64_t Round = 0; Round < Rounds; ++Round)
    searchPackings(Space, All[Round % std::min<uint64_t>(Starts, All.size())],
                   Problem.options().Seed + Round, Budget / 4 / Rounds);
  const Found &Best = *std::ranges::min_element(
      All, [](const Found &A, const Found &B) { return A.Price < B.Price; });
  LocalSearch Walk(Space, Best.Order);
  Walk.improve(Budget / 16);
  Walk.settle(Budget / 4);
  return Walk.order();
}

} // namespace kst
