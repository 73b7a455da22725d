// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/CrowdedSets.h"
#include "hybrid/colour/RankCorrelation.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

TEST(CrowdedSets, LinesBeyondTheWaysCount) {
  CrowdedSets Sets(4, 2, 100);
  for (uint64_t Line : {1, 1, 1, 5, 5, 9}) // of set 1, three lines
    Sets.access(1, Line, Line == 9 ? 1 : 0);
  Sets.access(2, 2, 0);
  Sets.access(2, 6, 1); // as many as ways
  Sets.endWindow();
  EXPECT_EQ(Sets.windows(), 1u);
  EXPECT_EQ(Sets.Excess, (std::vector<uint64_t>{0, 1, 0, 0}));
  EXPECT_EQ(Sets.Heat, (std::vector<uint64_t>{0, 1, 0, 0}));
  EXPECT_EQ(Sets.TypesOf.size(), 1u);
  EXPECT_EQ(Sets.TypesOf[1][0], 5u);
  EXPECT_EQ(Sets.TypesOf[1][1], 1u);
  EXPECT_EQ((Sets.Meetings[{0, 0}]), 2u); // its second line
  EXPECT_EQ((Sets.Meetings[{0, 1}]), 1u);
}

TEST(CrowdedSets, AWindowEndsWithSoManyLines) {
  CrowdedSets Sets(1, 1, 2);
  for (uint64_t Line : {0, 1, 0, 1, 2, 3, 2})
    Sets.access(0, Line, 0);
  EXPECT_EQ(Sets.windows(), 1u); // line 2 began the next
  EXPECT_EQ(Sets.Excess[0], 1u);
  EXPECT_EQ(Sets.Heat[0], 2u);
  Sets.endWindow();
  EXPECT_EQ(Sets.Excess[0], 2u);
  EXPECT_EQ(Sets.Heat[0], 3u);
}

TEST(RankCorrelation, IsSpearmans) {
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 30}, {5, 70, 800}), 1);
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 3, 4}, {1, 2, 4, 3}), 0.8);
  EXPECT_DOUBLE_EQ(rankCorrelation({7, 7}, {1, 2}), 0);
  EXPECT_DOUBLE_EQ(rankCorrelation({7}, {1}), 0);
}

} // namespace
