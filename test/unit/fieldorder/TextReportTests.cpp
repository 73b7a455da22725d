// SPDX-License-Identifier: GPL-2.0-or-later
//
// The report on a struct as text.

#include "GoldenFile.h"
#include "ReportSamples.h"
#include "hybrid/fieldorder/Describe.h"
#include "hybrid/report/Render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

namespace kst {
namespace {

size_t lineCount(const std::string &Text) {
  return size_t(std::count(Text.begin(), Text.end(), '\n'));
}

size_t lineOf(const std::string &Text, const std::string &What) {
  size_t At = Text.find(What);
  return At == std::string::npos ? At : lineCount(Text.substr(0, At));
}

std::string plain(const std::string &Text) {
  return std::regex_replace(Text, std::regex("\033\\[[0-9;]*m"), "");
}

TEST(TextReport, Goldens) {
  test::expectGolden("queue.txt", toText(describe(test::queueSample())));
  test::expectGolden("silent.txt", toText(describe(test::silentSample())));
  test::expectGolden("odd.txt", toText(describe(test::oddSample())));
  test::expectGolden("wide.txt", toText(describe(test::wideSample())));
}

TEST(TextReport, FirstScreenHasVerdictCostAndGroups) {
  std::string Text = toText(describe(test::wideSample()));
  EXPECT_LT(lineOf(Text, "verdict: reorder"), 6u);
  EXPECT_LT(lineOf(Text, "lines touched"), 12u);
  EXPECT_LT(lineOf(Text, "hottest groups"), 22u);
  EXPECT_LT(lineOf(Text, "cache lines touched per visit"), 36u);
  EXPECT_LT(lineOf(Text, "cost against number of moved fields"), 50u);
  EXPECT_LT(lineOf(Text, "\ncurrent layout\n"), 64u);
}

TEST(TextReport, FullShowsEveryField) {
  Report R = test::wideSample();
  TextOptions Full;
  Full.Full = true;
  std::string Short = toText(describe(R)), Long = toText(describe(R), Full);
  EXPECT_NE(Short.find("no access seen ("), std::string::npos);
  EXPECT_EQ(Short.find(" f149;"), std::string::npos);
  EXPECT_EQ(Long.find("no access seen ("), std::string::npos);
  for (int I = 0; I < 150; ++I)
    EXPECT_TRUE(std::regex_search(
        Long,
        std::regex(" f" + std::to_string(I) + "; +/\\* +[0-9]+ +[0-9]+ \\*/")))
        << I;
}

TEST(TextReport, ColorOnlyAddsEscapes) {
  TextOptions Color;
  Color.Color = true;
  for (const Report &R : {test::queueSample(), test::silentSample(),
                          test::oddSample(), test::wideSample()}) {
    EXPECT_EQ(plain(toText(describe(R), Color)), toText(describe(R)));
    EXPECT_EQ(toText(describe(R)).find('\033'), std::string::npos);
  }
}

TEST(TextReport, LayoutRowsKeepToTheWidth) {
  for (unsigned Width : {72u, 80u, 100u, 160u}) {
    TextOptions Options;
    Options.Width = Width;
    std::regex Row("; +/\\* +[0-9]+[: ] *[0-9]+");
    size_t Rows = 0;
    for (const Report &R : {test::queueSample(), test::oddSample()}) {
      std::istringstream Lines(toText(describe(R), Options));
      for (std::string Line; std::getline(Lines, Line);) {
        if (!std::regex_search(Line, Row) ||
            Line.find("was at") != std::string::npos)
          continue;
        ++Rows;
        EXPECT_LE(Line.size(), Width) << Line;
      }
    }
    EXPECT_EQ(Rows, 11u + 6u + 10u);
  }
}

TEST(TextReport, NoBlanksAtLineEnds) {
  for (const Report &R : {test::queueSample(), test::silentSample(),
                          test::oddSample(), test::wideSample()})
    EXPECT_EQ(toText(describe(R)).find(" \n"), std::string::npos);
}

TEST(TextReport, SaysHolesInPaholesWords) {
  std::string Text = toText(describe(test::oddSample()));
  EXPECT_NE(Text.find("/* XXX 7 bytes hole, try to pack */"),
            std::string::npos);
  EXPECT_NE(Text.find("/* --- cacheline 1 boundary (64 bytes)"),
            std::string::npos);
}

TEST(TextReport, KeepHasNoProposedLayout) {
  std::string Text = toText(describe(test::oddSample()));
  EXPECT_NE(Text.find("verdict: keep"), std::string::npos);
  EXPECT_EQ(Text.find("proposed"), std::string::npos);
}

} // namespace
} // namespace kst
