// SPDX-License-Identifier: GPL-2.0-or-later

#include "Records.h"

#include "hybrid/layout/Baselines.h"
#include "hybrid/layout/Optimise.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

TEST(Optimise, NoMethodOfOthersIsBetter) {
  for (uint32_t Seed = 0; Seed < 60; ++Seed) {
    std::mt19937 Rng(Seed);
    AffinityEvidence E;
    E.Record = randomRecord(Rng, 8 + Rng() % 30);
    uint32_t N = static_cast<uint32_t>(E.Record.Fields.size());
    E.Fields.resize(N);
    E.Sets = randomSets(Rng, N, 1 + Rng() % 20);
    JoinedConfigs One;
    One.Joint = E.Record;
    One.Configs.push_back(E);
    LayoutOptions O;
    O.Budget = Seed % 2 ? 20'000 : 2'000'000; // hardly any, and enough
    LayoutProblem Problem(One, O);
    const SearchSpace &Space = Problem.space();
    MoveUnitOrder Best = bestOrder(Problem, certifiedBounds(Problem));
    ASSERT_TRUE(Space.rules().legal(Best)) << "seed " << Seed;
    for (const Baseline &Other : baselines(Space, Problem.graph()))
      EXPECT_LE(Space.price(Best), Space.price(Other.Order) * (1 + 1e-9))
          << Other.Name << ", seed " << Seed;
  }
}

} // namespace
