// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rules that block a gain that a person can see.

#include "Records.h"

#include "hybrid/layout/ConstraintCost.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

FieldInfo cold(const char *Name) { return field(Name, 120, 8); }

/// The evidence as one configuration, laid out as it is.
ConstraintCost costOf(const AffinityEvidence &E, MoveUnitOrder Best = {},
                      ConstraintCostOptions Options = {},
                      LayoutOptions Layout = {}) {
  Result<JoinedConfigs> Joined = joinConfigs({E});
  EXPECT_TRUE(static_cast<bool>(Joined)) << Joined.error();
  LayoutProblem Problem(*Joined, Layout);
  return constraintCost(
      Problem, Best.empty() ? Problem.space().declared() : Best, Options);
}

AffinityEvidence evidence(std::vector<FieldInfo> Fields,
                          std::vector<CoAccessSet> Sets) {
  AffinityEvidence E;
  E.Record = record(std::move(Fields), 64);
  E.Sets = std::move(Sets);
  return E;
}

using Indices = std::vector<uint32_t>;

TEST(ConstraintCost, AMarkerBetweenTwoThatBelongTogether) {
  // Two lines per visit; one if b could cross the marker.
  ConstraintCost C =
      costOf(evidence({field("a", 8), cold("x"), marker("m"), field("b", 8)},
                      {visit(5, {touch(0), touch(3)})}));
  ASSERT_EQ(C.Alone.size(), 1u);
  EXPECT_EQ(C.Alone[0].Notes, Indices{0});
  EXPECT_DOUBLE_EQ(C.Alone[0].Saves, 5);
  EXPECT_DOUBLE_EQ(C.Together, 5);
}

TEST(ConstraintCost, StrongestFirst) {
  ConstraintCost C = costOf(evidence(
      {field("a", 8), cold("x"), marker("m"), field("b", 8), cold("y"),
       field("c", 8), cold("z"), marker("n"), field("d", 8)},
      {visit(2, {touch(0), touch(3)}), visit(7, {touch(5), touch(8)})}));
  ASSERT_EQ(C.Alone.size(), 2u);
  EXPECT_EQ(C.Alone[0].Notes, Indices{1});
  EXPECT_DOUBLE_EQ(C.Alone[0].Saves, 7);
  EXPECT_EQ(C.Alone[1].Notes, Indices{0});
  EXPECT_DOUBLE_EQ(C.Alone[1].Saves, 2);
  EXPECT_DOUBLE_EQ(C.Together, 9);
}

TEST(ConstraintCost, TwoThatBlockOneGainOnlyTogether) {
  // y is between the markers: neither alone lets b pass to a.
  auto Fields = [] {
    return std::vector<FieldInfo>{field("a", 8), cold("x"),   marker("m"),
                                  cold("y"),     marker("n"), cold("z"),
                                  field("b", 8)};
  };
  AffinityEvidence E = evidence(Fields(), {visit(5, {touch(0), touch(6)})});
  ConstraintCost C = costOf(E);
  EXPECT_TRUE(C.Alone.empty());
  EXPECT_DOUBLE_EQ(C.Together, 5);

  // Two ends of one range are one rule to the reader.
  std::vector<FieldInfo> Plain = Fields();
  Plain[2] = Plain[4] = field("w", 8);
  Plain[4].Name = "v";
  E = evidence(Plain, {visit(5, {touch(0), touch(6)})});
  Site Where{"clear", "sample.c", 12};
  E.Rules = {{RuleKind::Barrier, {2}, "cleared as one range", Where},
             {RuleKind::Barrier, {5}, "cleared as one range", Where}};
  C = costOf(E);
  ASSERT_EQ(C.Alone.size(), 1u);
  EXPECT_EQ(C.Alone[0].Notes, (Indices{0, 1}));
  EXPECT_DOUBLE_EQ(C.Alone[0].Saves, 5);
}

TEST(ConstraintCost, ARuleThatBlocksNothingIsNotNamed) {
  // a and b share a line already; the marker is behind them.
  ConstraintCost C =
      costOf(evidence({field("a", 8), field("b", 8), marker("m"), cold("x")},
                      {visit(5, {touch(0), touch(1)})}));
  EXPECT_TRUE(C.Alone.empty());
  EXPECT_EQ(C.Together, 0);
}

TEST(ConstraintCost, WhatTheRulesAllowIsNotHeldAgainstThem) {
  // b may go to a as it is; the order given just does not do so.
  ConstraintCost C = costOf(evidence(
      {field("a", 8), cold("x"), field("b", 8), marker("m"), cold("y")},
      {visit(5, {touch(0), touch(2)})}));
  EXPECT_TRUE(C.Alone.empty());
  EXPECT_EQ(C.Together, 0);
}

TEST(ConstraintCost, RulesThatNoEditCouldLift) {
  AffinityEvidence E = evidence({field("a", 8), cold("x"), field("tail", 0, 8)},
                                {visit(5, {touch(0), touch(2)})});
  E.Record.Fields[2].FlexibleArray = true;
  ConstraintCost C = costOf(E);
  EXPECT_TRUE(C.Alone.empty());
  EXPECT_EQ(C.Together, 0);

  E = evidence({field("a", 8), cold("x"), field("b", 8)},
               {visit(5, {touch(0), touch(2)})});
  E.Record.RandomizeLayout = true;
  EXPECT_EQ(costOf(E).Together, 0);
}

TEST(ConstraintCost, PinsAndRulesAboutEverything) {
  AffinityEvidence E = evidence({field("a", 8), cold("x"), field("b", 8)},
                                {visit(5, {touch(0), touch(2)})});
  LayoutOptions Pinned;
  Pinned.Pins = {{1, "asked for"}}; // x stays where it is: between them
  ConstraintCost C = costOf(E, {}, {}, Pinned);
  ASSERT_EQ(C.Alone.size(), 1u);
  EXPECT_DOUBLE_EQ(C.Alone[0].Saves, 5);

  E.Rules = {{RuleKind::AllFixed, {}, "initialised by position", {}}};
  C = costOf(E);
  ASSERT_EQ(C.Alone.size(), 1u);
  EXPECT_DOUBLE_EQ(C.Alone[0].Saves, 5);
}

TEST(ConstraintCost, SmallGainsAreNothing) {
  // 5 of 2005 is less than 1 %.
  auto Sample = [] {
    return evidence(
        {field("a", 8), cold("x"), marker("m"), field("b", 8), field("c", 8)},
        {visit(5, {touch(0), touch(3)}), visit(1995, {touch(4)})});
  };
  EXPECT_EQ(costOf(Sample()).Together, 0);
  ConstraintCostOptions O;
  O.WorthTogether = 0.001;
  EXPECT_DOUBLE_EQ(costOf(Sample(), {}, O).Together, 5);
  EXPECT_EQ(costOf(Sample(), {}, O).Alone.size(), 1u);
}

TEST(ConstraintCost, ManyRulesAreLiftedByKind) {
  std::vector<FieldInfo> Fields = {field("a", 8)};
  for (int I = 0; I < 20; ++I) {
    std::string Number = std::to_string(I);
    Fields.push_back(cold("x"));
    Fields.push_back(marker("m"));
    Fields.end()[-2].Name += Number;
    Fields.end()[-1].Name += Number;
  }
  Fields.push_back(field("b", 8));
  ConstraintCost C =
      costOf(evidence(Fields, {visit(5, {touch(0), touch(41)})}));
  ASSERT_EQ(C.Alone.size(), 1u);
  EXPECT_EQ(C.Alone[0].Notes.size(), 20u);
  EXPECT_DOUBLE_EQ(C.Alone[0].Saves, 5);
}

TEST(ConstraintCost, ObeyingKeepsSegmentsAndAnchors) {
  // 0 1 | 2 | 3 4a 5 6a
  Constraints C(record({field("a", 8), field("b", 8), marker("m"),
                        field("c", 8), aligned(field("d", 8), 64),
                        field("e", 8), aligned(field("f", 8), 64)}));
  MoveUnitOrder Guide = {6, 1, 5, 2, 4, 0, 3};
  MoveUnitOrder Legal = obeying(C, Guide);
  EXPECT_EQ(Legal, (MoveUnitOrder{1, 0, 2, 4, 5, 6, 3}));
  EXPECT_TRUE(C.legal(Legal));
}

TEST(ConstraintCost, RandomRecordsSaveWhatTheySay) {
  std::mt19937 Rng(9);
  int Blocked = 0;
  for (int I = 0; I < 40; ++I) {
    AffinityEvidence E;
    uint32_t N = 3 + Rng() % 25;
    E.Record = randomRecord(Rng, N);
    E.Sets = randomSets(Rng, N, 1 + Rng() % 20);
    ConstraintCostOptions O;
    O.Budget = 3'000'000;
    ConstraintCost A = costOf(E, {}, O), B = costOf(E, {}, O);
    ASSERT_EQ(A.Alone.size(), B.Alone.size());
    EXPECT_EQ(A.Together, B.Together);
    Blocked += !A.Alone.empty();
    for (size_t J = 0; J < A.Alone.size(); ++J) {
      EXPECT_EQ(A.Alone[J].Notes, B.Alone[J].Notes);
      EXPECT_GT(A.Alone[J].Saves, 0);
      EXPECT_LE(A.Alone[J].Saves, A.Together);
      EXPECT_LE(A.Alone[J].Saves, A.Alone[J ? J - 1 : 0].Saves);
    }
  }
  EXPECT_GE(Blocked, 3);
}

} // namespace
