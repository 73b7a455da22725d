// SPDX-License-Identifier: GPL-2.0-or-later
//
// How advice holds under other weights, where the chances can be worked out on
// paper.

#include "Records.h"

#include "hybrid/layout/Stability.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace kst;
using namespace kst::test;

namespace {

CoAccessSet at(CoAccessSet Set, std::string Function) {
  Set.Where = {std::move(Function), "sample.c", 1};
  return Set;
}

/// a on line 0; b, c and d on line 2. `Ab` visits use a and b, `Bc` b and c,
/// `Ad` a and d. Nobody writes: cost is lines, and the size stays.
AffinityEvidence sample(double Ab, double Bc, double Ad = 0) {
  AffinityEvidence E;
  E.Record = record({field("a", 8), field("cold", 120, 8), field("b", 8),
                     field("c", 8), field("d", 8)},
                    64);
  E.Sets = {at(visit(Ab, {touch(0), touch(2)}), "f"),
            at(visit(Bc, {touch(2), touch(3)}), "g"),
            at(visit(Ad, {touch(0), touch(4)}), "h")};
  return E;
}

const MoveUnitOrder BToA = {0, 2, 1, 3, 4};
const MoveUnitOrder BAndDToA = {0, 2, 4, 1, 3};

Stability of(const std::vector<AffinityEvidence> &Configs,
             const MoveUnitOrder &Proposed, StabilityOptions Options = {}) {
  Result<JoinedConfigs> Joined = joinConfigs(Configs);
  EXPECT_TRUE(static_cast<bool>(Joined)) << Joined.error();
  LayoutProblem Problem(*Joined, LayoutOptions{});
  return stability(Problem, Proposed, Options);
}

TEST(Stability, NothingSpeaksAgainst) {
  // Only a with b: two lines before, one after, whatever the weight.
  Stability S = of({sample(5, 0)}, BToA);
  EXPECT_EQ(S.Draws, 64u);
  EXPECT_EQ(S.Factor, 4);
  EXPECT_EQ(S.Survives, 1);
  EXPECT_DOUBLE_EQ(S.GainLow, 0.5);
  EXPECT_DOUBLE_EQ(S.GainHigh, 0.5);
  ASSERT_EQ(S.Moves.size(), 1u);
  EXPECT_EQ(S.Moves[0].Field, "b");
  EXPECT_EQ(S.Moves[0].Survives, 1);
}

/// Chance that Ratio * f > g for independent f, g with logarithms uniform on
/// [-L, L], Ratio >= 1: the difference has a triangular density on [-2L, 2L].
double chance(double Ratio, double Factor) {
  double L = std::log(Factor), Tail = std::max(0.0, 2 * L - std::log(Ratio));
  return 1 - Tail * Tail / (2 * (2 * L) * (2 * L));
}

TEST(Stability, ChancesOnPaper) {
  StabilityOptions O;
  O.Draws = 4000;
  O.Budget = ~0ull;
  EXPECT_NEAR(chance(3, 4), 0.8177, 1e-4);
  // Cost is 2 Ab + Bc before and Ab + 2 Bc after: b gains if Ab > Bc.
  for (double Ratio : {1.0, 3.0, 15.0})
    EXPECT_NEAR(of({sample(Ratio, 1)}, BToA, O).Survives, chance(Ratio, 4),
                0.02)
        << Ratio;
  EXPECT_EQ(of({sample(17, 1)}, BToA, O).Survives, 1); // beyond 4 * 4
  O.Factor = 2;
  EXPECT_NEAR(of({sample(3, 1)}, BToA, O).Survives, chance(3, 2), 0.02);
}

TEST(Stability, EachMoveByItself) {
  StabilityOptions O;
  O.Draws = 2000;
  O.Budget = ~0ull;
  Stability S = of({sample(3, 1, 100)}, BAndDToA, O);
  ASSERT_EQ(S.Moves.size(), 2u);
  EXPECT_EQ(S.Moves[0].Field, "b");
  EXPECT_NEAR(S.Moves[0].Survives, chance(3, 4), 0.03);
  EXPECT_EQ(S.Moves[1].Field, "d");
  EXPECT_EQ(S.Moves[1].Survives, 1);
  EXPECT_EQ(S.Survives, 1); // d outweighs b
  EXPECT_LT(S.GainLow, S.GainHigh);
}

TEST(Stability, WithoutSpreadEveryDrawIsTheSame) {
  StabilityOptions O;
  O.Factor = 1;
  Stability S = of({sample(3, 1)}, BToA, O);
  EXPECT_EQ(S.Survives, 1);
  EXPECT_DOUBLE_EQ(S.GainLow, 1 - 5.0 / 7);
  EXPECT_DOUBLE_EQ(S.GainHigh, 1 - 5.0 / 7);
  EXPECT_EQ(of({sample(1, 1)}, BToA, O).Survives, 0); // no gain is no survival
  EXPECT_EQ(of({sample(1, 3)}, BToA, O).Survives, 0);
}

TEST(Stability, PercentilesAreNearestRanks) {
  StabilityOptions O;
  O.Draws = 20; // the 5 % value is the smallest, 95 % the second largest
  Stability All = of({sample(3, 1)}, BToA, O);
  O.Draws = 1;
  Stability One = of({sample(3, 1)}, BToA, O);
  EXPECT_DOUBLE_EQ(One.GainLow, One.GainHigh);
  EXPECT_LE(All.GainLow, One.GainLow); // the same first draw
}

TEST(Stability, OnePlaceHasOneFactorInAllConfigurations) {
  Stability One = of({sample(3, 1, 2)}, BAndDToA);
  Stability Two = of({sample(3, 1, 2), sample(3, 1, 2)}, BAndDToA);
  EXPECT_EQ(One.Survives, Two.Survives);
  EXPECT_DOUBLE_EQ(One.GainLow, Two.GainLow);
  EXPECT_DOUBLE_EQ(One.GainHigh, Two.GainHigh);
  ASSERT_EQ(One.Moves.size(), Two.Moves.size());
  for (size_t I = 0; I < One.Moves.size(); ++I)
    EXPECT_EQ(One.Moves[I].Survives, Two.Moves[I].Survives);
}

TEST(Stability, LookalikesOfOnePlaceAreDrawnApart) {
  // 3 = three visits of weight 1 each: their sum varies less than one of 3.
  AffinityEvidence Whole = sample(30, 0, 30), Parts = Whole;
  Parts.Sets.clear();
  for (int I = 0; I < 30; ++I) {
    Parts.Sets.push_back(at(visit(1, {touch(0), touch(2)}), "f"));
    Parts.Sets.push_back(at(visit(1, {touch(0), touch(4)}), "h"));
  }
  StabilityOptions O;
  O.Draws = 200;
  O.Budget = ~0ull;
  Stability A = of({Whole}, BToA, O), B = of({Parts}, BToA, O);
  EXPECT_LT(B.GainHigh - B.GainLow, 0.5 * (A.GainHigh - A.GainLow));
}

TEST(Stability, SeedAndBudget) {
  StabilityOptions O;
  Stability A = of({sample(3, 1)}, BToA, O), B = of({sample(3, 1)}, BToA, O);
  EXPECT_EQ(A.GainLow, B.GainLow);
  EXPECT_EQ(A.Survives, B.Survives);
  O.Seed = 2;
  EXPECT_NE(of({sample(3, 1)}, BToA, O).GainLow, A.GainLow);
  O.Budget = 0;
  EXPECT_EQ(of({sample(3, 1)}, BToA, O).Draws, 16u);
}

} // namespace
