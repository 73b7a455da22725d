// SPDX-License-Identifier: GPL-2.0-or-later
//
// Baselines on examples that a person can work out: gains are written out.

#include "Records.h"

#include "hybrid/layout/Arrangement.h"
#include "hybrid/layout/Baselines.h"
#include "hybrid/layout/LayoutProblem.h"
#include "hybrid/layout/MoveUnitGraph.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

/// A problem with one configuration and what it refers to.
struct Sample {
  Sample(RecordInfo Record, std::vector<CoAccessSet> Sets,
         uint32_t LineBytes = 64, std::vector<SourceRule> Rules = {}) {
    Evidence.Joint = Record;
    Evidence.Configs.resize(1);
    Evidence.Configs[0].Record = std::move(Record);
    Evidence.Configs[0].Sets = std::move(Sets);
    LayoutOptions How;
    How.LineBytes = LineBytes;
    How.Rules = std::move(Rules);
    Problem.emplace(Evidence, How);
  }
  const SearchSpace &space() const { return Problem->space(); }

  /// The order of a baseline as the names of its fields.
  std::string named(const std::string &Name) const {
    for (const Baseline &B : baselines(space(), Problem->graph()))
      if (B.Name == Name)
        return text(B.Order);
    return "no such baseline";
  }
  std::string text(const MoveUnitOrder &Order) const {
    std::string Text;
    for (uint32_t F : space().rules().fields(Order))
      Text += Evidence.Joint.Fields[F].Name;
    return Text;
  }

  JoinedConfigs Evidence;
  std::optional<LayoutProblem> Problem;
};

/// Six words in lines of two. W = 19, W0 = 19 / 4, W + W0 = 23.75; frequencies
/// a 13, b 15, c 5, d 3, e 1; f is cold. Nothing is written. Gains:
///   ab  10 - 13 * 15 / 23.75 = 1.789
///   bc   5 - 15 *  5 / 23.75 = 1.842
///   ad   3 - 13 *  3 / 23.75 = 1.358
Sample chain() {
  std::vector<FieldInfo> Fields;
  for (const char *Name : {"a", "b", "c", "d", "e", "f"})
    Fields.push_back(field(Name, 8));
  return {record(Fields),
          {visit(10, {touch(0), touch(1)}), visit(5, {touch(1), touch(2)}),
           visit(3, {touch(0), touch(3)}), visit(1, {touch(4)})},
          16};
}

TEST(MoveUnitGraph, SumsOverFieldsOfMoveUnits) {
  Sample S = chain();
  MoveUnitGraph Graph(S.space(), S.Problem->graph());
  EXPECT_NEAR(Graph.gain(0, 1), 10 - 13 * 15 / 23.75, 1e-12);
  EXPECT_NEAR(Graph.gain(2, 1), 5 - 15 * 5 / 23.75, 1e-12);
  EXPECT_EQ(Graph.gain(0, 2), 0);
  EXPECT_EQ(Graph.active(), (std::vector<uint32_t>{1, 0, 2, 3, 4}));
  ASSERT_EQ(Graph.byGain().size(), 3u);
  EXPECT_EQ(Graph.byGain()[0].B, 2u);

  // Bit-fields x and y are one move unit: its gain is theirs together.
  Sample Bits(record({field("a", 8), bits("x", 1), bits("y", 1)}),
              {visit(4, {touch(0), touch(1)}), visit(2, {touch(0), touch(2)}),
               visit(9, {})});
  MoveUnitGraph Two(Bits.space(), Bits.Problem->graph());
  double Null = 15 + 15.0 / 3; // W + W0
  EXPECT_NEAR(Two.gain(0, 1), (4 - 6 * 4 / Null) + (2 - 6 * 2 / Null), 1e-12);
}

TEST(Baselines, CurrentOrder) {
  EXPECT_EQ(chain().named("current order"), "abcdef");
}

TEST(Baselines, ByHotness) { EXPECT_EQ(chain().named("by hotness"), "bacdef"); }

TEST(Baselines, BySizeLeavesNoHoles) {
  Sample S(record({field("a", 1), field("b", 8), field("c", 2), field("d", 4),
                   field("e", 16, 8)}),
           {visit(1, {touch(0), touch(1)})});
  EXPECT_EQ(S.named("by size"), "ebdca");
}

TEST(Baselines, FrontBack) {
  // bc is heaviest; b's edge to a is all that leads out of b and c, so a goes
  // to the front; then d beside a.
  EXPECT_EQ(chain().named("front/back"), "dabcef");
}

TEST(Baselines, GainLossFillsLines) {
  // b is hottest, c gains most with it, and the line is full; then a with d.
  EXPECT_EQ(chain().named("gain-loss"), "bcadef");
}

TEST(Baselines, GainLossKeepsApart) {
  // W = 43, W + W0 = 53.75; b, with 33 visits the hottest, gains
  //   20 - 30 * 33 / 53.75 = 1.58 with a, 3 - 33 * 3 / 53.75 = 1.16 with c,
  // but the owner writes a in 9 visits and others in 1 without b, while others
  // use b in 10 without a.
  std::vector<CoAccessSet> Sets{visit(20, {touch(0), touch(1)}),
                                visit(10, {touch(0, 1, 1)}),
                                visit(10, {touch(1)}, CpuRelation::Remote),
                                visit(3, {touch(1), touch(2)})};
  RecordInfo Record = record({field("a", 8), field("b", 8), field("c", 8)});
  Sample S(Record, Sets, 16);
  EXPECT_EQ(S.named("gain-loss"), "bca");
  Sets[1].Touches[0].Writes = 0; // nobody writes: a is the better neighbour
  EXPECT_EQ(Sample(Record, Sets, 16).named("gain-loss"), "bac");
}

TEST(Baselines, SingleLinkage) {
  // b and c merge, then a beside b; d joins a, so the tree turns round.
  EXPECT_EQ(chain().named("single linkage"), "cbadef");
}

TEST(Baselines, SameNamesEveryTime) {
  std::vector<std::string> Names;
  Sample S = chain();
  for (const Baseline &B : baselines(S.space(), S.Problem->graph()))
    Names.push_back(B.Name);
  EXPECT_EQ(Names, (std::vector<std::string>{"current order", "by hotness",
                                             "by size", "front/back",
                                             "gain-loss", "single linkage"}));
}

TEST(Baselines, LegalWhateverTheRules) {
  std::mt19937 Rng(7);
  for (int Round = 0; Round < 100; ++Round) {
    uint32_t Count = 5 + Rng() % 60;
    RecordInfo Record = randomRecord(Rng, Count);
    std::vector<SourceRule> Rules{{RuleKind::ImmovableField, {0}, "", {}},
                                  {RuleKind::Barrier, {Count / 2}, "", {}}};
    if (Round % 3 == 0)
      Rules.clear();
    Sample S(std::move(Record), randomSets(Rng, Count, 3 * Count), 64, Rules);
    auto First = baselines(S.space(), S.Problem->graph());
    auto Again = baselines(S.space(), S.Problem->graph());
    for (size_t I = 0; I < First.size(); ++I) {
      EXPECT_TRUE(S.space().rules().legal(First[I].Order)) << First[I].Name;
      EXPECT_EQ(
          S.space().runsThatMeet(S.space().rules().fields(First[I].Order)), 0u)
          << First[I].Name;
      EXPECT_EQ(First[I].Order, Again[I].Order) << First[I].Name;
    }
  }
}

TEST(Arrangement, ColdMoveUnitsFillTheLine) {
  // Lines of 16: a leaves 8 bytes, bc wants 16; e is the first cold move unit
  // that fits before it.
  Sample S(record({field("a", 8), field("b", 8), field("c", 8),
                   field("d", 16, 8), field("e", 8)}),
           {visit(1, {touch(0), touch(1), touch(2)})}, 16);
  EXPECT_EQ(S.text(arranged(S.space(), {{0}, {1, 2}}, Filling::Lines)),
            "aebcd");
  EXPECT_EQ(S.text(arranged(S.space(), {{0}, {1, 2}})), "abcde");
}

TEST(Arrangement, SegmentsKeepTheirMoveUnits) {
  // The marker m is a immovable field: d and c come first among their own.
  Sample S(record({field("a", 8), field("b", 8), marker("m"), field("c", 8),
                   field("d", 8)}),
           {visit(1, {touch(0)})});
  EXPECT_EQ(S.text(arranged(S.space(), {{4, 1, 2, 4}, {0}})), "bamdc");
}

TEST(Arrangement, RunsOfBitFieldsStayApart) {
  Sample S(record({bits("x", 1), field("a", 8), bits("y", 1), field("b", 8)}),
           {visit(1, {touch(0)})});
  EXPECT_EQ(S.text(arranged(S.space(), {{0, 2, 1, 3}})), "xayb");
  EXPECT_EQ(S.text(arranged(S.space(), {{3, 0, 2, 1}})), "bxay");
  // Nothing is left to part them: the declared order.
  EXPECT_EQ(S.text(arranged(S.space(), {{1, 3, 2, 0}})), "xayb");
}

TEST(Arrangement, AnchorsKeepTheirOrder) {
  Sample S(record({aligned(field("a", 8), 64), field("b", 8),
                   aligned(field("c", 8), 64), field("d", 8)}),
           {visit(1, {touch(0)})});
  EXPECT_EQ(S.text(arranged(S.space(), {{2, 1, 0, 3}})), "abcd");
  EXPECT_EQ(S.text(arranged(S.space(), {{3, 2, 0, 1}})), "dacb");
}

} // namespace
