// SPDX-License-Identifier: GPL-2.0-or-later

#include "Records.h"

#include "hybrid/layout/Constraints.h"
#include "hybrid/layout/Moves.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

using Order = std::vector<uint32_t>;

TEST(Constraints, BitFieldRunsAreOneMoveUnit) {
  RecordInfo R = record(
      {field("a", 4), bits("x", 3), bits("", 0), bits("y", 2), field("b", 4)});
  Constraints C(R);
  ASSERT_EQ(C.bricks().size(), 3u);
  EXPECT_EQ(C.bricks()[1].Fields, (Order{1, 2, 3}));
  EXPECT_EQ(C.fields(Order{1, 2, 0}), (Order{1, 2, 3, 4, 0}));
}

TEST(Constraints, NothingCrossesAMarker) {
  Constraints C(record({field("a", 8), field("b", 8), marker("begin"),
                        field("c", 8), field("d", 8)}));
  EXPECT_TRUE(C.legal(Order{1, 0, 2, 4, 3}));
  EXPECT_FALSE(C.legal(Order{0, 3, 2, 1, 4}));
  EXPECT_FALSE(C.legal(Order{0, 2, 1, 3, 4}));
  EXPECT_FALSE(C.legal(Order{0, 0, 2, 3, 4}));
  ASSERT_EQ(C.notes().size(), 1u);
  EXPECT_EQ(C.notes()[0].Field, "begin");
}

TEST(Constraints, AlignedFieldsAreAnchorsOrImmovableFields) {
  RecordInfo R =
      record({field("a", 8), aligned(field("b", 8), 64), field("c", 8),
              aligned(field("d", 8), 64), aligned(field("e", 4), 8)});
  Constraints Anchors(R);
  EXPECT_TRUE(Anchors.legal(Order{2, 4, 1, 0, 3}));
  EXPECT_FALSE(Anchors.legal(Order{0, 3, 2, 1, 4})); // anchors keep their order
  ConstraintOptions O;
  O.Aligned = AlignedRule::ImmovableField;
  Constraints ImmovableFields(R, O);
  EXPECT_FALSE(ImmovableFields.legal(Order{2, 1, 0, 3, 4}));
  EXPECT_EQ(ImmovableFields.notes().size(),
            2u); // 8 bytes are no line: e is free
}

TEST(Constraints, PinsAndFlexibleArraysStay) {
  RecordInfo R = record(
      {field("first", 8), field("a", 8), field("b", 8), field("tail", 0, 8)});
  R.Fields[3].FlexibleArray = true;
  ConstraintOptions O;
  O.Pins.push_back({0, "others cast to it"});
  Constraints C(R, O);
  EXPECT_TRUE(C.legal(Order{0, 2, 1, 3}));
  EXPECT_FALSE(C.legal(Order{1, 0, 2, 3}));
  EXPECT_FALSE(C.legal(Order{0, 1, 3, 2}));
  EXPECT_EQ(C.notes()[0].Why, "pinned: others cast to it");
}

TEST(Constraints, UnionsAndRandomizedRecordsAreFixed) {
  RecordInfo R = record({field("a", 8), field("b", 8)});
  R.RandomizeLayout = true;
  Constraints C(R);
  EXPECT_TRUE(C.allFixed());
  EXPECT_FALSE(C.legal(Order{1, 0}));
}

TEST(Constraints, FewestMoveUnitsCountAsMoved) {
  EXPECT_EQ(movedUnits(Order{0, 1, 2}),
            (std::vector<bool>{false, false, false}));
  EXPECT_EQ(movedUnits(Order{3, 0, 1, 2}),
            (std::vector<bool>{false, false, false, true}));
}

TEST(Constraints, RulesOfTheSource) {
  RecordInfo R = record({field("a", 8), field("b", 8), field("c", 8),
                         field("d", 8), field("e", 8)});
  ConstraintOptions O;
  O.Rules = {
      {RuleKind::Join, {0, 1}, "one macro makes both", {}},
      {RuleKind::ImmovableField, {3}, "cleared up to it", {"f", "x.c", 7}},
      {RuleKind::Barrier, {5}, "an unknown macro", {}}};
  Constraints C(R, O);
  ASSERT_EQ(C.bricks().size(), 4u); // ab c d e
  EXPECT_TRUE(C.legal(Order{1, 0, 2, 3}));
  EXPECT_FALSE(C.legal(Order{0, 2, 1, 3}));
  EXPECT_FALSE(C.legal(Order{0, 3, 2, 1}));
  ASSERT_EQ(C.notes().size(), 3u);
  EXPECT_FALSE(C.notes()[0].Liftable);
  EXPECT_EQ(C.notes()[2].Where.Line, 7u);

  O.Lifted = {0, 2}; // a join is not liftable, the immovable field is
  Constraints Lifted(R, O);
  EXPECT_EQ(Lifted.notes().size(), 3u);
  EXPECT_EQ(Lifted.bricks().size(), 4u);
  EXPECT_TRUE(Lifted.legal(Order{0, 3, 2, 1}));
}

TEST(Constraints, ABarrierIsOnlyAPlace) {
  RecordInfo R =
      record({field("a", 8), field("b", 8), field("c", 8), field("d", 8)});
  ConstraintOptions O;
  O.Rules = {{RuleKind::Barrier, {2}, "a line of the definition", {}}};
  Constraints C(R, O);
  EXPECT_TRUE(C.legal(Order{1, 0, 3, 2}));
  EXPECT_FALSE(C.legal(Order{0, 2, 1, 3}));
}

TEST(Constraints, AllFixedBySource) {
  RecordInfo R = record({field("a", 8), field("b", 8)});
  ConstraintOptions O;
  O.Rules = {{RuleKind::AllFixed, {}, "user space sees this layout", {}}};
  Constraints C(R, O);
  EXPECT_TRUE(C.allFixed());
  EXPECT_FALSE(C.legal(Order{1, 0}));
  O.Lifted = {0};
  EXPECT_TRUE(Constraints(R, O).legal(Order{1, 0}));
}

} // namespace
