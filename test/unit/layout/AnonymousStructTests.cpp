// SPDX-License-Identifier: GPL-2.0-or-later
//
// Members of anonymous structs move inside of them, the structs as wholes.

#include "Records.h"

#include "hybrid/layout/Advise.h"
#include "hybrid/layout/AskedOrder.h"
#include "hybrid/layout/JoinedConfigs.h"
#include "hybrid/layout/Optimise.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

using Order = std::vector<uint32_t>;

/// a { b c } d
RecordInfo small(uint32_t ExplicitAlign = 0) {
  return record({field("a", 8), field("b", 8), field("c", 8), field("d", 8)}, 0,
                {{1, 3, ExplicitAlign}});
}

TEST(AnonymousStructs, MembersStayTogether) {
  Constraints C(small());
  EXPECT_TRUE(C.floats());
  EXPECT_TRUE(C.legal(Order{0, 2, 1, 3}));  // inside
  EXPECT_TRUE(C.legal(Order{1, 2, 0, 3}));  // as a whole
  EXPECT_TRUE(C.legal(Order{3, 2, 1, 0}));  // both
  EXPECT_FALSE(C.legal(Order{1, 0, 2, 3})); // a enters
  EXPECT_FALSE(C.legal(Order{0, 1, 3, 2})); // c leaves
  EXPECT_FALSE(C.legal(Order{1, 0, 3, 2})); // torn
}

TEST(AnonymousStructs, WhatIsTornIsMended) {
  Constraints C(small());
  EXPECT_EQ(C.mended(Order{1, 0, 2, 3}), (Order{1, 2, 0, 3}));
  EXPECT_EQ(C.mended(Order{3, 2, 0, 1}), (Order{3, 2, 1, 0}));
  EXPECT_EQ(C.mended(Order{0, 2, 1, 3}), (Order{0, 2, 1, 3}));
}

TEST(AnonymousStructs, AImmovableFieldInsideHoldsTheStruct) {
  ConstraintOptions O;
  O.Rules.push_back({RuleKind::ImmovableField, {1}, "its offset is used", {}});
  Constraints C(small(), O);
  EXPECT_FALSE(C.floats());
  EXPECT_TRUE(C.legal(Order{0, 1, 2, 3}));
  EXPECT_FALSE(C.legal(Order{1, 2, 0, 3}));
  EXPECT_FALSE(C.legal(Order{3, 1, 2, 0}));
  EXPECT_FALSE(C.legal(Order{0, 2, 1, 3}));
}

TEST(AnonymousStructs, AnAlignedOneIsAnAnchor) {
  Constraints C(small(64));
  EXPECT_TRUE(C.legal(Order{1, 2, 0, 3})); // a passes it
  EXPECT_TRUE(C.legal(Order{0, 3, 2, 1}));
  ASSERT_EQ(C.notes().size(), 1u);
  EXPECT_EQ(C.notes()[0].Field, "b");
  RecordInfo Two = record({field("a", 8), field("b", 8), field("c", 8)}, 0,
                          {{0, 1, 64}, {1, 2, 64}});
  EXPECT_FALSE(Constraints(Two).legal(Order{1, 0, 2})); // keep their order
  ConstraintOptions O;
  O.Aligned = AlignedRule::ImmovableField;
  EXPECT_FALSE(Constraints(small(64), O).legal(Order{1, 2, 0, 3}));
}

TEST(AnonymousStructs, JoinedFieldsTakeTheirStructAlong) {
  ConstraintOptions O;
  O.Rules.push_back({RuleKind::Join, {2, 3}, "one macro", {}});
  Constraints C(small(), O);
  ASSERT_EQ(C.bricks().size(), 2u);
  EXPECT_EQ(C.bricks()[1].Fields, (Order{1, 2, 3}));
  // All of a struct: it is closed, and moves as one move unit.
  O.Rules = {{RuleKind::Join, {1, 2}, "one macro", {}}};
  Constraints Closed(small(), O);
  ASSERT_EQ(Closed.bricks().size(), 3u);
  EXPECT_FALSE(Closed.floats());
  EXPECT_TRUE(Closed.legal(Order{2, 1, 0}));
}

TEST(AnonymousStructs, BitFieldsOfTwoStructsAreApart) {
  RecordInfo R =
      record({bits("x", 3), bits("y", 3), field("a", 4)}, 0, {{1, 3}});
  EXPECT_EQ(Constraints(R).bricks().size(), 3u);
  EXPECT_EQ(R.Fields[1].OffsetBits, 32u);
}

TEST(AnonymousStructs, TheirOwnAlignmentAndPaddingCount) {
  RecordInfo R =
      record({field("a", 4), field("b", 8), field("c", 1), field("d", 1)}, 0,
             {{1, 3}});
  EXPECT_EQ(R.Fields[1].OffsetBits, 64u);
  EXPECT_EQ(R.Fields[3].OffsetBits, 8 * 24u); // not beside c
  Layout Plan = FieldOffsets(R).layout(Order{2, 1, 0, 3});
  EXPECT_EQ(Plan.OffsetBits, (std::vector<uint64_t>{128, 64, 0, 160}));
}

/// The whole record is one anonymous struct, as struct mm_struct is: the two
/// hot fields come together.
TEST(AnonymousStructs, TheAdviceOpensThem) {
  std::vector<FieldInfo> Fields{field("hot", 8)};
  for (int I = 0; I < 20; ++I)
    Fields.push_back(field("c" + std::to_string(I), 8));
  Fields.push_back(field("warm", 8));
  Fields.push_back(field("tail", 0, 8));
  Fields.back().FlexibleArray = true;
  AffinityEvidence E;
  E.Record = record(Fields, 64, {{0, 22}});
  E.Fields.resize(E.Record.Fields.size());
  E.Sets = {visit(10, {touch(0), touch(21)})};
  Advice A = advise(E, {});
  EXPECT_EQ(A.What, Verdict::Reorder);
  EXPECT_LT(A.Proposed.Plan.OffsetBits[21], 512u);
  EXPECT_EQ(A.Proposed.Plan.Order.back(), 22u);
}

/// Where it saves a line, the struct moves as a whole.
TEST(AnonymousStructs, TheAdviceMovesThem) {
  std::vector<FieldInfo> Fields{field("hot", 8)};
  for (int I = 0; I < 20; ++I)
    Fields.push_back(field("c" + std::to_string(I), 8));
  Fields.push_back(field("x", 8));
  Fields.push_back(field("y", 8));
  AffinityEvidence E;
  E.Record = record(Fields, 64, {{21, 23}});
  E.Fields.resize(E.Record.Fields.size());
  E.Sets = {visit(10, {touch(0), touch(21), touch(22)})};
  Advice A = advise(E, {});
  EXPECT_EQ(A.What, Verdict::Reorder);
  const auto &Offsets = A.Proposed.Plan.OffsetBits;
  EXPECT_EQ(Offsets[0] / 512, Offsets[21] / 512);
  EXPECT_EQ(Offsets[0] / 512, Offsets[22] / 512);
  EXPECT_TRUE(A.Proven);
}

TEST(AnonymousStructs, SearchesFindLegalOrdersOnly) {
  for (uint32_t Seed = 0; Seed < 200; ++Seed) {
    std::mt19937 Rng(Seed);
    RecordInfo Plain = randomRecord(Rng, 6 + Rng() % 30);
    const auto N = static_cast<uint32_t>(Plain.Fields.size());
    AffinityEvidence E;
    E.Record = record(Plain.Fields, 64, randomStructs(Rng, N));
    E.Fields.resize(N);
    E.Sets = randomSets(Rng, N, 5 + Rng() % 20);
    LayoutOptions O;
    O.Budget = 300'000;
    O.MayGrow = Rng() % 2;
    JoinedConfigs One;
    One.Joint = E.Record;
    One.Configs.push_back(E);
    LayoutProblem P(One, O);
    ASSERT_TRUE(reproduces(E.Record));
    std::vector<CertifiedBound> Bounds = certifiedBounds(P);
    MoveUnitOrder Best = bestOrder(P, Bounds);
    ASSERT_TRUE(P.rules().legal(Best)) << "seed " << Seed;
    double Price = P.space().price(Best);
    EXPECT_LE(Price, P.space().price(P.space().declared()) * (1 + 1e-9));
    EXPECT_GE(Price, Bounds.front().Value * (1 - 1e-9)) << "seed " << Seed;
    Advice A = advise(P);
    MoveUnitOrder MoveUnits;
    for (uint32_t F : A.Proposed.Plan.Order)
      if (MoveUnits.empty() || MoveUnits.back() != P.rules().moveUnitOf(F))
        MoveUnits.push_back(P.rules().moveUnitOf(F));
    EXPECT_TRUE(P.rules().legal(MoveUnits)) << "seed " << Seed;
  }
}

TEST(AnonymousStructs, AQuestionThatTearsOneIsAnswered) {
  JoinedConfigs One;
  One.Joint = small();
  One.Configs.emplace_back();
  One.Configs[0].Record = One.Joint;
  One.Configs[0].Sets = {visit(1, {touch(0), touch(1)})};
  LayoutProblem P(One, {});
  auto Torn = askedOrder(P, "move c first", nullptr);
  ASSERT_TRUE(bool(Torn)) << Torn.error();
  ASSERT_EQ(P.objections(*Torn).size(), 1u);
  EXPECT_NE(P.objections(*Torn)[0].find("anonymous struct"), std::string::npos);
  auto Whole = askedOrder(P, "move b, c first", nullptr);
  ASSERT_TRUE(bool(Whole));
  EXPECT_TRUE(P.objections(*Whole).empty());
}

TEST(AnonymousStructs, ConfigurationsShareThem) {
  auto At = [](FieldInfo F, uint32_t Line) {
    F.Line = Line;
    return F;
  };
  auto Of = [&](bool More) {
    std::vector<FieldInfo> Fields{At(field("a", 8), 2), At(field("b", 8), 4)};
    if (More)
      Fields.push_back(At(field("x", 16, 16), 5));
    Fields.push_back(At(field("c", 8), 6));
    AffinityEvidence E;
    E.Record = record(Fields, 0, {{1, More ? 4u : 3u}});
    E.Record.Groups[0].Line = 3;
    E.Record.Groups[0].EndLine = 7;
    E.Fields.resize(Fields.size());
    return E;
  };
  auto Joined = joinConfigs({Of(false), Of(true)});
  ASSERT_TRUE(bool(Joined));
  ASSERT_EQ(Joined->Joint.Fields.size(), 4u);
  ASSERT_EQ(Joined->Joint.Groups.size(), 1u);
  for (uint32_t F : {1u, 2u, 3u})
    EXPECT_EQ(Joined->Joint.Fields[F].Group, 0u);
  EXPECT_EQ(Joined->Configs[0].Record.Groups[0].AlignBytes, 8u);
  EXPECT_EQ(Joined->Configs[1].Record.Groups[0].AlignBytes, 16u);
  EXPECT_TRUE(reproduces(Joined->Configs[0].Record));
  EXPECT_TRUE(reproduces(Joined->Configs[1].Record));
}

TEST(AnonymousStructs, LongNamesAreCut) {
  EXPECT_EQ(memberNames({"donor", "curr"}), "donor|curr");
  std::vector<std::string> Many;
  for (int I = 0; I < 30; ++I)
    Many.push_back("member" + std::to_string(I));
  EXPECT_EQ(memberNames(Many), "{member0|member1|member2|member3|...+26}");
  EXPECT_EQ(memberNames({std::string(60, 'a'), "b"}),
            "{" + std::string(60, 'a') + "|...+1}");
}

} // namespace
