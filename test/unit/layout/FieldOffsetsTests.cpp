// SPDX-License-Identifier: GPL-2.0-or-later

#include "Records.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

using Offsets = std::vector<uint64_t>;

Layout place(const RecordInfo &R, std::vector<uint32_t> Order) {
  return FieldOffsets(R).layout(Order);
}

TEST(FieldOffsets, PadsToAlignmentAndRoundsTheSize) {
  RecordInfo R = record({field("c", 1), field("l", 8), field("s", 2)});
  EXPECT_EQ(place(R, {0, 1, 2}).OffsetBits, (Offsets{0, 64, 128}));
  EXPECT_EQ(place(R, {0, 1, 2}).SizeBytes, 24u);
  EXPECT_EQ(place(R, {1, 2, 0}).OffsetBits, (Offsets{80, 0, 64}));
  EXPECT_EQ(place(R, {1, 2, 0}).SizeBytes, 16u);
}

TEST(FieldOffsets, BitFieldsShareAUnitUntilTheyWouldCrossIt) {
  // char c; int a:20; int b:10; int d:10;
  RecordInfo R =
      record({field("c", 1), bits("a", 20), bits("b", 10), bits("d", 10)});
  // a starts in the same int as c; b would cross bit 32; d follows b.
  EXPECT_EQ(place(R, {0, 1, 2, 3}).OffsetBits, (Offsets{0, 8, 32, 42}));
  EXPECT_EQ(place(R, {0, 1, 2, 3}).SizeBytes, 8u);
}

TEST(FieldOffsets, ZeroWidthOnlyAligns) {
  RecordInfo R = record({bits("a", 3), bits("", 0), bits("b", 3)});
  EXPECT_EQ(place(R, {0, 1, 2}).OffsetBits, (Offsets{0, 32, 32}));
}

TEST(FieldOffsets, PackedBitFieldsFollowEachOther) {
  RecordInfo R = record({bits("a", 20), bits("b", 20)});
  R.Packed = true;
  for (FieldInfo &F : R.Fields)
    F.AlignBytes = 1;
  R.AlignBytes = 1;
  EXPECT_EQ(place(R, {0, 1}).OffsetBits, (Offsets{0, 20}));
  EXPECT_EQ(place(R, {0, 1}).SizeBytes, 5u);
}

TEST(FieldOffsets, UnionFieldsAllStartAtZero) {
  RecordInfo R = record({field("c", 1), field("l", 8)});
  R.Union = true;
  EXPECT_EQ(place(R, {1, 0}).OffsetBits, (Offsets{0, 0}));
  EXPECT_EQ(place(R, {1, 0}).SizeBytes, 8u);
}

TEST(FieldOffsets, MismatchNamesTheFieldAndBothOffsets) {
  RecordInfo R = record({field("first", 4), field("second", 4)});
  EXPECT_TRUE(reproduces(R));
  R.Fields[1].OffsetBits = 64;
  EXPECT_FALSE(reproduces(R));
  EXPECT_EQ(offsetMismatch(R), "field 'second' (number 1) of 'sample' is at "
                               "byte 8, our rules put it at 4");
  R.Fields[1].OffsetBits = 32;
  R.SizeBytes = 12;
  EXPECT_EQ(offsetMismatch(R), "'sample' has 12 bytes, our rules give it 8");
}

} // namespace
