// SPDX-License-Identifier: GPL-2.0-or-later
//
// See Optimise.h.

#include "hybrid/layout/Optimise.h"

#include "hybrid/layout/LocalSearch.h"
#include "hybrid/layout/Seeds.h"

namespace kst {

std::vector<CertifiedBound> certifiedBounds(const LayoutProblem &Problem) {
  std::vector<CertifiedBound> Bounds;
  for (size_t C = 0; C < Problem.configCount(); ++C)
    Bounds.push_back(
        certifiedBound(Problem.record(C), Problem.model(C), Problem.rules(),
                       Problem.options().Budget / Problem.configCount()));
  return Bounds;
}

double objectiveBound(const LayoutProblem &Problem,
                      const std::vector<CertifiedBound> &Bounds) {
  double Sum = 0;
  for (size_t C = 0; C < Bounds.size(); ++C)
    Sum += Problem.share(C) * Bounds[C].Value;
  return Sum;
}

UnitOrder bestOrder(const LayoutProblem &Problem,
                    const std::vector<CertifiedBound> &Bounds) {
  const SearchSpace &Space = Problem.space();
  const uint64_t Budget = Problem.options().Budget;
  UnitOrder Best = Space.declared();
  double BestPrice = Space.price(Best);
  auto Start = seeds(Space, Problem.graph(), Bounds.front().Lines);
  // The seeds share half of the budget, the best of them gets another part.
  for (Seed &S : Start) {
    LocalSearch Walk(Space, std::move(S.Order));
    Walk.improve(Budget / 2 / Start.size());
    Walk.settle(Budget / 20);
    if (Walk.total() < BestPrice) {
      BestPrice = Walk.total();
      Best = Walk.order();
    }
  }
  LocalSearch Walk(Space, Best);
  Walk.improve(Budget / 4);
  Walk.settle(Budget / 4);
  return Walk.order();
}

} // namespace kst
