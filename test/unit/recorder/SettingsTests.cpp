// SPDX-License-Identifier: GPL-2.0-or-later

#include "SmallGuest.h"

using namespace kst;

namespace {

TEST(RecorderSettings, WhatIsWrittenIsRead) {
  kst_test::SmallGuest G;
  G.S.Wanted = {{1, 2}, {3, 4}};
  G.S.WantedPerCpu = {{5, 6}};
  G.S.WantedSites = {{{7, 8}}, {{9, 10}, 64, 71, true}};
  G.S.ToldAgain = {{11, 12}};
  G.S.WantedCaches = {"ring", "task_struct"};
  G.S.Filter = true;
  G.S.Pointers = {{"dentry", 48}};
  G.S.Window = {0x400000, 0x400010};
  RecorderSettings Read;
  std::string Wrong;
  ASSERT_TRUE(Read.read(G.S.text(), Wrong)) << Wrong;
  EXPECT_EQ(Read.text(), G.S.text());
  EXPECT_EQ(Read.WantedCaches, G.S.WantedCaches);
  ASSERT_EQ(Read.WantedSites.size(), 2u);
  EXPECT_EQ(Read.WantedSites[0].MostBytes, ~uint64_t(0));
  EXPECT_TRUE(Read.WantedSites[1].WholeCache);
  ASSERT_EQ(Read.ToldAgain.size(), 1u);
  ASSERT_EQ(Read.Pointers.size(), 1u);
  EXPECT_EQ(Read.Pointers[0].Offset, 48u);
  ASSERT_EQ(Read.Events.size(), 2u);
  EXPECT_EQ(Read.Events[0].Values.size(), 4u);
  EXPECT_EQ(Read.Events[1].Kind, "free");
}

TEST(RecorderSettings, ALineThatIsNotUnderstoodIsNamed) {
  for (const char *Line : {"window 1", "colour 1 2", "event alloc 1 2 3",
                           "want x y", "want-cache", ""}) {
    RecorderSettings Read;
    std::string Wrong = "-";
    EXPECT_FALSE(Read.read(std::string("filter 1\n") + Line + "\n", Wrong));
    EXPECT_EQ(Wrong, Line);
  }
}

} // namespace
