// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/core/PatchName.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

TEST(PatchName, QuotedAsGitDoes) {
  EXPECT_EQ(quotedName("my src/s.h"), "my src/s.h");
  EXPECT_EQ(quotedName("a\tb\"c\\d"), "\"a\\tb\\\"c\\\\d\"");
  EXPECT_EQ(quotedName("\xc3\xa9\x01"), "\"\\303\\251\\001\"");
  EXPECT_EQ(headingName("my src/s.h"), "my src/s.h\t");
  EXPECT_EQ(headingName("s.h"), "s.h");
}

TEST(PatchName, EveryNameIsReadBack) {
  std::string All;
  for (int C = 1; C != 256; ++C)
    All += static_cast<char>(C);
  const std::string Written = quotedName(All) + " rest";
  std::string_view Text = Written;
  EXPECT_EQ(takeQuotedName(Text), All);
  EXPECT_EQ(Text, " rest");
}

TEST(PatchName, WhatIsNoQuotedNameStays) {
  for (std::string_view Text : {"s.h", "\"open", "\"a\\", "\"a\\q\"", ""}) {
    std::string_view Left = Text;
    EXPECT_EQ(takeQuotedName(Left), std::nullopt);
    EXPECT_EQ(Left, Text);
  }
}

} // namespace
