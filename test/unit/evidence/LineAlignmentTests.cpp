// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/LineAlignment.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

std::vector<LineAccess> reads(std::vector<std::pair<int32_t, uint32_t>> Of) {
  std::vector<LineAccess> Out;
  for (auto [Line, Field] : Of)
    Out.push_back({Line, 10, AccessClass::Read, Field});
  return Out;
}

} // namespace

TEST(LineAlignment, SameLinesStay) {
  auto Code = reads({{1, 0}, {2, 1}, {4, 0}});
  EXPECT_EQ(alignLines(Code, Code), (LineMap{{1, 1}, {2, 2}, {4, 4}}));
}

TEST(LineAlignment, InsertedAndRemovedLines) {
  EXPECT_EQ(alignLines(reads({{1, 0}, {2, 1}, {4, 0}}),
                       reads({{1, 0}, {3, 2}, {5, 1}, {7, 0}})),
            (LineMap{{1, 1}, {2, 5}, {4, 7}}));
  EXPECT_EQ(
      alignLines(reads({{1, 0}, {2, 1}, {3, 2}}), reads({{1, 1}, {2, 2}})),
      (LineMap{{2, 1}, {3, 2}}));
}

TEST(LineAlignment, UnknownFieldsAndOtherKindsTellNothing) {
  EXPECT_TRUE(alignLines(reads({{1, None}}), reads({{1, 0}})).empty());
  auto Writes = reads({{1, 0}});
  Writes[0].Class = AccessClass::Write;
  EXPECT_TRUE(alignLines(Writes, reads({{1, 0}})).empty());
}

TEST(LineAlignment, OfEqualLinesTheOneThatStayed) {
  EXPECT_EQ(alignLines(reads({{3, 0}}), reads({{1, 0}, {3, 0}, {5, 0}})),
            (LineMap{{3, 3}}));
}

TEST(LineAlignment, LinesBetweenGoWithTheirNeighbours) {
  const LineMap Lines{{2, 2}, {4, 9}};
  EXPECT_EQ(movedLine(Lines, 1), 1);
  EXPECT_EQ(movedLine(Lines, 3), 3);
  EXPECT_EQ(movedLine(Lines, 4), 9);
  EXPECT_EQ(movedLine(Lines, 6), 11);
  EXPECT_EQ(movedLine({}, 6), 6);
}
