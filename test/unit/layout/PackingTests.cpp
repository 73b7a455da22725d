// SPDX-License-Identifier: GPL-2.0-or-later
//
// The search over packings: where single moves are stuck, by hand; that what
// it counts is what its orders cost; legality and determinism.

#include "Records.h"

#include "hybrid/layout/LocalSearch.h"
#include "hybrid/layout/PackingSearch.h"

#include <gtest/gtest.h>

#include <random>

using namespace kst;
using namespace kst::test;

namespace {

struct Problem {
  RecordInfo Record;
  LayoutCost Model;
  Constraints Rules;
  SearchSpace Space;

  Problem(RecordInfo R, const std::vector<CoAccessSet> &Sets)
      : Record(std::move(R)), Model(Record, Sets), Rules(Record),
        Space(Record, Rules, Model) {}
};

std::vector<CoAccessSet> randomSets(std::mt19937 &Random, uint32_t Fields) {
  std::vector<CoAccessSet> Sets;
  for (int S = 0; S < 40; ++S) {
    std::vector<FieldTouch> Touches;
    for (uint32_t F = 0; F < Fields; ++F)
      if (Random() % 8 == 0)
        Touches.push_back(
            touch(F, Random() % 2 ? 1 : 0.3, Random() % 4 ? 0 : 0.2));
    if (!Touches.empty())
      Sets.push_back(
          visit(1 + Random() % 50, std::move(Touches),
                Random() % 4 ? CpuRelation::Local : CpuRelation::Remote));
  }
  return Sets;
}

TEST(PackingSearch, LeavesWhatNoSingleMoveOrSwapLeaves) {
  // Two full lines. The pairs {0,4} and {8,12} hold together with 10, and each
  // of the four is drawn to the other line with 3. One alone that goes loses 10
  // (a swap of two: 20) and gains 3 (6); both pairs together gain 12.
  std::vector<FieldInfo> Fields;
  for (int F = 0; F < 16; ++F)
    Fields.push_back(field(std::to_string(F), 8));
  auto Pair = [](double W, uint32_t A, uint32_t B) {
    return visit(W, {touch(A), touch(B)});
  };
  auto All = [](std::vector<uint32_t> Which) {
    std::vector<FieldTouch> Touches;
    for (uint32_t F : Which)
      Touches.push_back(touch(F));
    return visit(20, std::move(Touches));
  };
  Problem P(record(std::move(Fields)),
            {Pair(10, 0, 4), Pair(10, 8, 12), Pair(3, 0, 9), Pair(3, 4, 10),
             Pair(3, 1, 8), Pair(3, 2, 12), All({1, 2, 3, 5, 6, 7}),
             All({9, 10, 11, 13, 14, 15})});
  const MoveUnitOrder Start = P.Space.declared();
  ASSERT_DOUBLE_EQ(P.Space.price(Start), 10 + 10 + 2 * 12 + 40);
  LocalSearch Walk(P.Space, Start);
  Walk.improve(~0ull >> 1);
  ASSERT_DOUBLE_EQ(Walk.total(), 84); // stuck

  for (auto Kind : {Packing::Mode::Repack, Packing::Mode::Exchange}) {
    PackingSearch Search(P.Space, Start, Kind, 1);
    Search.run(2'000'000);
    EXPECT_NEAR(Search.gain(), -12, 1e-9);
    EXPECT_DOUBLE_EQ(P.Space.price(Search.order()), 10 + 10 + 12 + 40);
  }
}

TEST(PackingSearch, ExchangeCountsWhatTheOrderCosts) {
  std::mt19937 Random(7);
  double Gained = 0;
  for (int Case = 0; Case < 20; ++Case) {
    std::vector<FieldInfo> Fields;
    for (int F = 0; F < 40; ++F)
      Fields.push_back(field(std::to_string(F), 1u << Random() % 4));
    Problem P(record(std::move(Fields)), randomSets(Random, 40));
    const MoveUnitOrder Start = P.Space.declared();
    PackingSearch Search(P.Space, Start, Packing::Mode::Exchange, Case);
    Search.run(500'000);
    const double Before = P.Space.price(Start);
    EXPECT_NEAR(P.Space.price(Search.order()), Before + Search.gain(),
                1e-9 * Before);
    Gained -= Search.gain() / Before;
  }
  EXPECT_GT(Gained, 0);
}

TEST(PackingSearch, OrdersAreLegalAndTheSameEveryTime) {
  std::mt19937 Random(3);
  for (int Case = 0; Case < 40; ++Case) {
    std::vector<FieldInfo> Fields;
    for (int F = 0; F < 30; ++F) {
      std::string Name = std::to_string(F);
      switch (Random() % 12) {
      case 0:
        Fields.push_back(marker(Name));
        break;
      case 1:
        Fields.push_back(aligned(field(Name, 8), 64));
        break;
      case 2:
        Fields.push_back(bits(Name, 3));
        break;
      case 3:
        Fields.push_back(field(Name, 24 + 8 * (Random() % 16), 8));
        break;
      default:
        Fields.push_back(field(Name, 1u << Random() % 4));
      }
    }
    Problem P(record(std::move(Fields)), randomSets(Random, 30));
    for (auto Kind : {Packing::Mode::Repack, Packing::Mode::Exchange}) {
      PackingSearch One(P.Space, P.Space.declared(), Kind, Case);
      PackingSearch Same(P.Space, P.Space.declared(), Kind, Case);
      One.run(200'000);
      Same.run(200'000);
      EXPECT_LE(One.gain(), 0);
      const MoveUnitOrder Order = One.order();
      EXPECT_TRUE(P.Rules.legal(Order));
      EXPECT_EQ(Order, Same.order());
    }
  }
}

} // namespace
