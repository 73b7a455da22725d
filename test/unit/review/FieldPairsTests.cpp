// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/unit/layout/Records.h"

#include "hybrid/review/FieldPairs.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

TEST(FieldPairs, NamesArePaired) {
  const FieldPairs Pairs =
      pairFields(record({field("a", 8), field("b", 8)}),
                 record({field("a", 8), field("n", 8), field("b", 8)}));
  EXPECT_EQ(Pairs.BaseOf, (std::vector<uint32_t>{0, NoField, 1}));
  EXPECT_EQ(Pairs.HeadOf, (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(Pairs.Moved, (std::vector<bool>{false, false, false}));
}

TEST(FieldPairs, OneMoveMovesOneField) {
  const FieldPairs Pairs = pairFields(
      record({field("a", 8), field("b", 8), field("c", 8), field("d", 8)}),
      record({field("b", 8), field("c", 8), field("d", 8), field("a", 8)}));
  EXPECT_EQ(Pairs.Moved, (std::vector<bool>{false, false, false, true}));
}

TEST(FieldPairs, ARenamedFieldIsTheSame) {
  const FieldPairs Pairs =
      pairFields(record({field("a", 8), field("old", 4), field("c", 8)}),
                 record({field("a", 8), field("new", 4), field("c", 8)}));
  EXPECT_EQ(Pairs.BaseOf, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_TRUE(Pairs.Renamed[1]);
}

TEST(FieldPairs, AnotherSizeIsAnotherField) {
  const FieldPairs Pairs = pairFields(record({field("a", 8), field("old", 4)}),
                                      record({field("a", 8), field("new", 8)}));
  EXPECT_EQ(Pairs.BaseOf[1], NoField);
  EXPECT_EQ(Pairs.HeadOf[1], NoField);
}

TEST(FieldPairs, LinesOfTheTextAreNoLayout) {
  RecordInfo A = record({field("a", 8)}), B = A;
  B.Line = B.Fields[0].Line = 77;
  EXPECT_TRUE(sameLayout(A, B));
  B.Fields[0].OffsetBits = 64;
  EXPECT_FALSE(sameLayout(A, B));
}

} // namespace
