// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/CutPlan.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace kst;

namespace {

TEST(CutPlan, CostIsTheSumOverPairs) {
  const std::vector<ChainObject> Objects{{0.5, 1}, {0.25, 10}, {0.25, 100}};
  const ChainCost Cost(Objects);
  EXPECT_DOUBLE_EQ(Cost.of({}), 0.5 * 10 + 0.5 * 100 + 0.25 * 100);
  EXPECT_DOUBLE_EQ(Cost.of({2}), 0.5 * 10);
  EXPECT_DOUBLE_EQ(Cost.of({1}), 0.25 * 100);
  EXPECT_DOUBLE_EQ(Cost.of({1, 2}), 0);
}

TEST(CutPlan, ExactEqualsBruteForce) {
  std::mt19937 Random(7);
  for (int Round = 0; Round < 300; ++Round) {
    std::vector<ChainObject> Objects(1 + Random() % 12);
    for (ChainObject &O : Objects) {
      O.Churn = double(Random() % 5);
      O.Heat = Random() % 3 ? double(Random() % 100) : 0;
    }
    const ChainCost Cost(Objects);
    const std::vector<Cuts> All = exactCuts(Cost, 12);
    for (unsigned K = 0; K < All.size(); ++K) {
      EXPECT_LE(All[K].size(), K);
      EXPECT_TRUE(std::is_sorted(All[K].begin(), All[K].end()));
      EXPECT_NEAR(Cost.of(All[K]), leastCost(Cost, K), 1e-9) << Round;
    }
  }
}

TEST(CutPlan, OthersAreNeverBetter) {
  std::mt19937 Random(8);
  for (int Round = 0; Round < 50; ++Round) {
    std::vector<ChainObject> Objects(200);
    for (ChainObject &O : Objects)
      O = {double(Random() % 9), double(Random() % 1000)};
    const ChainCost Cost(Objects);
    const std::vector<Cuts> Exact = exactCuts(Cost, 16);
    for (unsigned K : {1u, 5u, 16u}) {
      Cuts Greedy = greedyCuts(Cost, K);
      std::sort(Greedy.begin(), Greedy.end());
      EXPECT_LE(Cost.of(Exact[K]), Cost.of(Greedy) + 1e-6);
      EXPECT_LE(Cost.of(Exact[K]), Cost.of(evenCuts(Cost, K)) + 1e-6);
    }
  }
}

TEST(CutPlan, NothingToGainIsNoCutThatHelps) {
  // Only the last object changes: nothing is behind it.
  std::vector<ChainObject> Objects(10, ChainObject{0, 1});
  Objects.back().Churn = 1;
  const ChainCost Cost(Objects);
  EXPECT_EQ(Cost.of({}), 0);
  EXPECT_EQ(Cost.of(exactCuts(Cost, 3).back()), 0);
}

TEST(CutPlan, OneObjectHasNoCut) {
  const std::vector<ChainObject> One{{1, 1}};
  EXPECT_EQ(exactCuts(ChainCost(One), 8).size(), 1u);
  EXPECT_TRUE(greedyCuts(ChainCost(One), 8).empty());
  EXPECT_TRUE(evenCuts(ChainCost(One), 8).empty());
}

} // namespace
