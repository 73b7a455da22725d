// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/LineAnchors.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

const std::vector<std::string_view> Old = {
    "f(struct s *p)", "{", "a();", "if (x)", "  b();", "c();", "}"};

/// Steps of one line each of Old with anchors; the count is the old line.
std::vector<LineRuns> everyLine() {
  std::vector<LineRuns> Out;
  for (size_t Line = 0; Line < Old.size(); ++Line)
    Out.push_back({int32_t(Line), 1, double(Line), anchorOf(Old[Line])});
  return Out;
}

/// [line of Text]: the old line it is, or -1.
std::vector<int> followed(const std::vector<std::string_view> &Text,
                          std::vector<LineRuns> Ran = everyLine()) {
  followText(Ran, Text);
  std::vector<int> Out(Text.size(), -1);
  int32_t Last = -1;
  for (const LineRuns &Of : Ran) {
    EXPECT_GT(Of.Begin, Last);
    EXPECT_GE(Of.Lines, 1u);
    Last = Of.Begin + int32_t(Of.Lines) - 1;
    for (int32_t Line = Of.Begin; Line <= Last; ++Line)
      if (Line < int32_t(Text.size()))
        Out[Line] = int(Of.Runs);
  }
  return Out;
}

TEST(LineAnchors, BlanksDoNotCount) {
  EXPECT_EQ(anchorOf("\tif (a  && b)"), anchorOf("if(a&&b)"));
  EXPECT_NE(anchorOf("return 0;"), anchorOf("return 1;"));
  for (int I = 0; I < 10000; ++I) {
    const uint16_t Anchor = anchorOf(std::to_string(I));
    EXPECT_TRUE(Anchor >= 1 && Anchor <= 4096);
  }
}

// The same number as bench/reference/bodies.py has for this text.
TEST(LineAnchors, AreThoseOfTheScriptThatMakesTheReference) {
  EXPECT_EQ(anchorOf("  return 0;"), 1109);
}

TEST(LineAnchors, UneditedTextStaysWhereItIs) {
  EXPECT_EQ(followed(Old), (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(LineAnchors, LinesMoveWithWhatWasAddedAndRemoved) {
  EXPECT_EQ(followed({"f(struct s *p)", "{", "new();", "if (y)", "more();",
                      "a();", "if (x)", "  b();", "c();", "}"}),
            (std::vector<int>{0, 1, 1, 1, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(followed({"f(struct s *p)", "{", "if (x)", "  b();", "}"}),
            (std::vector<int>{0, 1, 3, 4, 6}));
}

TEST(LineAnchors, AnEditedLineIsNotKnown) {
  EXPECT_EQ(followed({"f(struct s *p)", "{", "a();", "if (x && z)", "  b();",
                      "c();", "}"}),
            (std::vector<int>{0, 1, 2, -1, 4, 5, 6}));
}

TEST(LineAnchors, AStepGrowsByTheLinesThatWereAddedInIt) {
  const std::vector<LineRuns> Steps = {
      {0, 4, 7, 0}, {4, 1, 3, anchorOf(Old[4])}, {5, 2, 7, anchorOf(Old[5])}};
  EXPECT_EQ(followed(Old, Steps), (std::vector<int>{7, 7, 7, 7, 3, 7, 7}));
  EXPECT_EQ(followed({"f(struct s *p)", "{", "new();", "a();", "if (x)",
                      "  b();", "c();", "}"},
                     Steps),
            (std::vector<int>{7, 7, 7, 7, 7, 3, 7, 7}));
}

} // namespace
