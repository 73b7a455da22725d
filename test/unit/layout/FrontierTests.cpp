// SPDX-License-Identifier: GPL-2.0-or-later
//
// Moves, and how much of the gain how few of them bring: by hand, against all
// permutations, and against truncating the full answer.

#include "Records.h"

#include "hybrid/layout/Frontier.h"
#include "hybrid/layout/LocalSearch.h"
#include "hybrid/layout/Moves.h"

#include <gtest/gtest.h>

#include <map>

using namespace kst;
using namespace kst::test;

namespace {

using Order = std::vector<uint32_t>;
using Flags = std::vector<bool>;

/// What a frontier needs, in one place.
struct Problem {
  RecordInfo Record;
  LayoutCost Model;
  Constraints Rules;
  SearchSpace Space;

  Problem(RecordInfo R, const std::vector<CoAccessSet> &Sets,
          std::vector<Placement> Demands = {})
      : Record(std::move(R)), Model(Record, Sets), Rules(Record),
        Space(Record, Rules, {SearchConfig{FieldOffsets(Record), &Model, 1}},
              std::move(Demands)) {}

  MoveUnitOrder found() const {
    LocalSearch Walk(Space, Space.declared());
    Walk.improve(~0ull >> 1);
    return Walk.order();
  }
  std::vector<FrontierOrder> frontier(const MoveUnitOrder &Best,
                                      uint64_t Budget = 1'000'000'000,
                                      uint32_t MaxMoves = ~0u) const {
    return kst::frontier(Record, Space, Best, Budget, MaxMoves);
  }
};

uint32_t movesOf(const Problem &P, const MoveUnitOrder &O) {
  return moveCount(P.Rules, movedUnits(P.Space, O));
}

TEST(Moves, ARunOfBitFieldsWeighsAsManyAsItHas) {
  // MoveUnits: 0 the run, 1 = b, 2 = c. Taking up b and c is two moves, taking
  // up the run would be three.
  Problem P(record({bits("x", 3), bits("y", 3), bits("z", 3), field("b", 4),
                    field("c", 4)}),
            {});
  Flags Moved = movedUnits(P.Space, Order{1, 2, 0});
  EXPECT_EQ(Moved, (Flags{false, true, true}));
  EXPECT_EQ(moveCount(P.Rules, Moved), 2u);
  Moved = movedUnits(P.Space, Order{2, 0, 1}); // c alone
  EXPECT_EQ(Moved, (Flags{false, false, true}));
  EXPECT_EQ(moveCount(P.Rules, Moved), 1u);
}

TEST(Moves, WhatMayNotMoveIsNeverAmongThem) {
  // a and b go behind the anchor c; one move less would be to take up c.
  Problem P(record({field("a", 8), field("b", 8), aligned(field("c", 8), 64)}),
            {});
  ASSERT_TRUE(P.Rules.legal(Order{2, 0, 1}));
  EXPECT_EQ(movedUnits(P.Space, Order{2, 0, 1}), (Flags{true, true, false}));
}

TEST(Moves, PartOfAnOrder) {
  Problem P(record({field("a", 8), field("b", 8), field("c", 8), field("d", 8),
                    field("e", 8)}),
            {});
  const Order Goal = {3, 0, 2, 4, 1}; // 0, 2 and 4 stay, 1 and 3 move
  Flags Moved = movedUnits(P.Space, Goal);
  EXPECT_EQ(Moved, (Flags{false, true, false, true, false}));
  EXPECT_EQ(partOf(P.Rules, Goal, Moved, Flags(5)), (Order{0, 1, 2, 3, 4}));
  EXPECT_EQ(partOf(P.Rules, Goal, Moved, Moved), Goal);
  EXPECT_EQ(partOf(P.Rules, Goal, Moved, {false, false, false, true, false}),
            (Order{3, 0, 1, 2, 4}));
  EXPECT_EQ(partOf(P.Rules, Goal, Moved, {false, true, false, false, false}),
            (Order{0, 2, 3, 4, 1}));
}

TEST(Moves, PartOfAnOrderOpensItsSegment) {
  // Nothing crosses the marker: b and c are home at the front of theirs.
  Problem P(record({field("a", 8), marker("m"), field("b", 8), field("c", 8)}),
            {});
  const Order Goal = {0, 1, 3, 2};
  Flags Moved = movedUnits(P.Space, Goal);
  ASSERT_EQ(moveCount(P.Rules, Moved), 1u);
  EXPECT_EQ(partOf(P.Rules, Goal, Moved, Flags(4)), (Order{0, 1, 2, 3}));
}

TEST(Moves, OfEqualWaysTheOneThatTakesUpTheHotter) {
  // b goes before a, or a behind b: one move either way.
  RecordInfo R = record({field("a", 8), field("b", 8)});
  for (uint32_t Hot : {0u, 1u}) {
    Problem P(R, {visit(2, {touch(Hot)}), visit(1, {touch(1 - Hot)})});
    EXPECT_EQ(movedUnits(P.Space, Order{1, 0}), (Flags{Hot == 0, Hot == 1}));
  }
}

/// The cheapest point with at most so many moves.
double within(const std::vector<FrontierOrder> &Points, uint32_t Moves) {
  double Cost = Points.front().Point.TotalCost;
  for (const FrontierOrder &P : Points)
    if (P.Point.Moves <= Moves)
      Cost = P.Point.TotalCost;
  return Cost;
}

void expectSound(const Problem &P, const std::vector<FrontierOrder> &Points) {
  ASSERT_FALSE(Points.empty());
  EXPECT_EQ(Points.front().Order, P.Space.declared());
  for (size_t I = 0; I < Points.size(); ++I) {
    const FrontierOrder &Here = Points[I];
    EXPECT_TRUE(P.Rules.legal(Here.Order));
    EXPECT_EQ(Here.Point.Moves, movesOf(P, Here.Order));
    EXPECT_EQ(Here.Point.Moved.size(), Here.Point.Moves);
    if (!I)
      continue;
    EXPECT_GT(Here.Point.Moves, Points[I - 1].Point.Moves);
    EXPECT_LT(Here.Point.TotalCost, Points[I - 1].Point.TotalCost);
  }
}

/// a, b and c on three lines. a with b five times, a with c once.
Problem threeApart(std::vector<Placement> Demands = {}) {
  return {record({field("a", 8), field("cold0", 120, 8), field("b", 8),
                  field("cold1", 120, 8), field("c", 8)},
                 64),
          {visit(5, {touch(0), touch(2)}), visit(1, {touch(0), touch(4)})},
          std::move(Demands)};
}

TEST(Frontier, TheBestMoveComesFirst) {
  Problem P = threeApart();
  auto Points = P.frontier(P.found());
  expectSound(P, Points);
  // No visit writes: cost is lines, 264 bytes fill five lines in any order.
  ASSERT_EQ(Points.size(), 3u);
  EXPECT_DOUBLE_EQ(Points[0].Point.TotalCost, 5 * 2 + 1 * 2);
  EXPECT_DOUBLE_EQ(Points[1].Point.TotalCost, 5 * 1 + 1 * 2);
  EXPECT_DOUBLE_EQ(Points[2].Point.TotalCost, 5 * 1 + 1 * 1);
  EXPECT_EQ(Points[2].Point.Moves, 2u);
}

TEST(Frontier, NoMoreMovesThanAskedFor) {
  Problem P = threeApart();
  for (uint32_t Most : {0u, 1u, 2u, 3u}) {
    auto Points = P.frontier(P.found(), 1'000'000, Most);
    expectSound(P, Points);
    EXPECT_EQ(Points.size(), 1 + std::min(Most, 2u));
  }
}

TEST(Frontier, MayBeatTheOrderItIsGiven) {
  Problem P = threeApart();
  MoveUnitOrder Poor = {1, 0, 2, 3, 4};
  auto Points = P.frontier(Poor);
  expectSound(P, Points);
  EXPECT_DOUBLE_EQ(Points.back().Point.TotalCost, 6);
  EXPECT_EQ(P.frontier(P.Space.declared()).back().Point.TotalCost, 6);
}

TEST(Frontier, PointsMeetTheDemandsThatTheLastOneMeets) {
  // The declared order breaks the first demand, the second forbids the move
  // of c that would gain.
  auto Demand = [](const Problem &P, const char *Text) {
    Result<Placement> D = parsePlacement(P.Record, Text);
    EXPECT_TRUE(static_cast<bool>(D));
    return *D;
  };
  Problem Free = threeApart();
  Problem P = threeApart({Demand(Free, "b=first"), Demand(Free, "a=apart:c")});
  auto Points = P.frontier(P.found());
  ASSERT_EQ(Points.size(), 2u);
  EXPECT_DOUBLE_EQ(Points[0].Point.TotalCost, 12); // as it is, no penalty
  EXPECT_EQ(Points[1].Point.Moves, 1u);            // b to the front, before a
  EXPECT_DOUBLE_EQ(Points[1].Point.TotalCost, 7);
  EXPECT_EQ(Points[1].Order.front(), 2u);
}

TEST(Frontier, ADemandMayCostMoreThanItGains) {
  // cold in front and a on line 0 leave no room for b there.
  Placement First, Line;
  First.Kind = PlacementKind::First;
  First.Field = 2;
  Line.Kind = PlacementKind::Line;
  Line.Field = 0;
  Line.Line = 0;
  Problem P{record({field("a", 4), field("b", 8), field("cold", 56, 8)}, 64),
            {visit(5, {touch(0), touch(1)})},
            {First, Line}};
  auto Points = P.frontier(P.found());
  ASSERT_EQ(Points.size(), 2u);
  EXPECT_EQ(Points[1].Order, (MoveUnitOrder{2, 0, 1}));
  EXPECT_EQ(Points[1].Point.Moves, 1u);
  EXPECT_DOUBLE_EQ(Points[0].Point.TotalCost, 5 * 1);
  EXPECT_DOUBLE_EQ(Points[1].Point.TotalCost, 5 * 2);
}

/// The cheapest of all permutations for each number of moves.
std::map<uint32_t, double> allPermutations(const Problem &P) {
  std::map<uint32_t, double> Cheapest;
  MoveUnitOrder O = P.Space.declared();
  do {
    if (!P.Rules.legal(O))
      continue;
    double Price = P.Space.price(O);
    auto [At, New] = Cheapest.try_emplace(movesOf(P, O), Price);
    At->second = std::min(At->second, Price);
  } while (std::next_permutation(O.begin(), O.end()));
  return Cheapest;
}

TEST(Frontier, AgainstAllPermutations) {
  std::mt19937 Rng(5);
  int Points = 0, Equal = 0;
  for (int I = 0; I < 40; ++I) {
    uint32_t N = 4 + Rng() % 4;
    RecordInfo R = randomRecord(Rng, N);
    Problem P(R, randomSets(Rng, N, 1 + Rng() % 12));
    auto Found = P.frontier(P.found());
    expectSound(P, Found);
    double Best = Found.front().Point.TotalCost;
    for (auto [Moves, Price] : allPermutations(P)) {
      Best = std::min(Best, Price);
      double Here = within(Found, Moves);
      EXPECT_GE(Here, Best * (1 - 1e-9));
      ++Points;
      Equal += Here <= Best * (1 + 1e-6);
    }
  }
  RecordProperty("points", Points);
  RecordProperty("equal", Equal);
  EXPECT_GE(Equal, Points * 95 / 100) << Points;
}

TEST(Frontier, NeverWorseThanTruncation) {
  std::mt19937 Rng(23);
  for (int I = 0; I < 30; ++I) {
    uint32_t N = 5 + Rng() % 40;
    RecordInfo R = randomRecord(Rng, N);
    Problem P(R, randomSets(Rng, N, 1 + Rng() % 40));
    MoveUnitOrder Best = P.found();
    auto First = firstMoves(P.Space, Best);
    EXPECT_EQ(First.front(), P.Space.declared());
    EXPECT_EQ(First.back(), Best);
    for (uint64_t Budget : {0ull, 3'000'000ull}) {
      auto Found = P.frontier(Best, Budget);
      expectSound(P, Found);
      for (const MoveUnitOrder &O : First) {
        EXPECT_TRUE(P.Rules.legal(O));
        EXPECT_LE(within(Found, movesOf(P, O)), P.Space.price(O) * (1 + 1e-9));
      }
    }
    for (const MoveUnitOrder &O : greedyMoves(P.Space, Best))
      EXPECT_TRUE(P.Rules.legal(O));
  }
}

TEST(Frontier, IsDeterministic) {
  std::mt19937 Rng(3);
  RecordInfo R = randomRecord(Rng, 30);
  Problem P(R, randomSets(Rng, 30, 25));
  MoveUnitOrder Best = P.found();
  auto A = P.frontier(Best, 5'000'000), B = P.frontier(Best, 5'000'000);
  ASSERT_EQ(A.size(), B.size());
  for (size_t I = 0; I < A.size(); ++I)
    EXPECT_EQ(A[I].Order, B[I].Order);
}

} // namespace
