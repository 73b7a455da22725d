// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/TextStyle.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

std::string lines(const std::string &First, const std::string &Text,
                  size_t Width) {
  std::string Out;
  for (const MarkedLine &Line : wrapped(First, Text, Width))
    Out += Line.Text + "\n";
  return Out;
}

TEST(TextStyle, ColorWhen) {
  EXPECT_EQ(parseColorWhen("always"), ColorWhen::Always);
  EXPECT_FALSE(parseColorWhen("Always"));
  EXPECT_TRUE(wantsColor(ColorWhen::Always, -1));
  EXPECT_FALSE(wantsColor(ColorWhen::Never, 1));
  EXPECT_FALSE(wantsColor(ColorWhen::Auto, -1)); // no terminal
  EXPECT_EQ(terminalWidth(-1, 77), 77u);
}

TEST(TextStyle, Wraps) {
  EXPECT_EQ(lines("- ", "aa bb cc", 7), "- aa bb\n  cc\n");
  EXPECT_EQ(lines("- ", "aa  bb", 8), "- aa  bb\n");
  EXPECT_EQ(lines("- ", "aa  bb", 7), "- aa\n  bb\n");
  EXPECT_EQ(lines("- ", "verylongword", 5), "- verylongword\n");
  EXPECT_EQ(lines("- ", "", 5), "-\n");
  EXPECT_EQ(shortened("abcdef", 4), "ab..");
  EXPECT_EQ(shortened("abcd", 4), "abcd");
}

TEST(TextStyle, MarksStayWithTheirBytes) {
  MarkedLine Line("ab", Mark::Strong);
  Line.add(" cd", Mark::Hot);
  Line.push(7);
  Line.fill(9);
  EXPECT_EQ(Line.Text, "  ab cd  ");
  EXPECT_EQ(Line.painted(true), "  \033[1mab\033[0m\033[1;31m cd\033[0m  ");
  EXPECT_EQ(Line.painted(false), Line.Text);
  Line.dropBlanks();
  EXPECT_EQ(Line.size(), 7u);
  EXPECT_EQ(Line.Marks.size(), 7u);
}

} // namespace
} // namespace kst
