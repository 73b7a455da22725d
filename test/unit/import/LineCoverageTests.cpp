// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/LineCoverage.h"
#include "hybrid/profile/ProfileCheck.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace kst;

namespace {

const char Gcov[] = "TN:\n"
                    "SF:/src/a.c\n"
                    "FN:4,help\n"
                    "FN:10,19,work\n"
                    "FN:30,never\n"
                    "FNDA:10,help\n"
                    "FNDA:1,work\n"
                    "FNDA:0,never\n"
                    "BRDA:12,0,0,1\n"
                    "DA:3,1\n"
                    "DA:6,10\n"
                    "DA:7,0,checksum\n"
                    "DA:13,11\n"
                    "DA:20,1\n"
                    "DA:31,0\n"
                    "end_of_record\n";

const char Llvm[] = "SF:/src/a.c\n"
                    "FN:5,a.c:help\n"
                    "FNDA:10,a.c:help\n"
                    "DA:5,10\n"
                    "DA:7,7\n"
                    "end_of_record\n";

std::vector<std::string> rows(const Profile &P) {
  EXPECT_FALSE(checkProfile(P));
  std::vector<std::string> Out;
  for (const MeasuredSite &Site : P.Sites)
    Out.push_back(
        std::string(Site.Kind == SiteKind::Entry ? "entry " : "line ") +
        std::string(P.text(Site.File)) + " " +
        std::string(P.text(Site.Function)) + " " + std::to_string(Site.Line) +
        " " + std::to_string(Site.Count));
  std::ranges::sort(Out);
  return Out;
}

TEST(LineCoverage, LinesAreCountedFromThatOfTheName) {
  ASSERT_TRUE(looksLikeLineCoverage(Gcov));
  auto Read = readLineCoverage(Gcov, nullptr);
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(rows(Read->What),
            (std::vector<std::string>{
                "entry /src/a.c help 4 10", "entry /src/a.c never 30 0",
                "entry /src/a.c work 10 1", "line /src/a.c help 2 10",
                "line /src/a.c help 3 0", "line /src/a.c work 3 11"}));
  EXPECT_EQ(Read->Notes.Lines, 3u);
  EXPECT_EQ(Read->Notes.LinesOutside, 2u); // before the first, behind work
  EXPECT_EQ(Read->Notes.OtherLines, 0u);
}

TEST(LineCoverage, OfLlvmLinesWantTheProgram) {
  auto Alone = readLineCoverage(Llvm, nullptr);
  ASSERT_TRUE(Alone);
  EXPECT_TRUE(Alone->Notes.EntriesOnly);
  EXPECT_EQ(rows(Alone->What),
            std::vector<std::string>{"entry /src/a.c help 5 10"});
  auto Placed = readLineCoverage(
      Llvm,
      [](std::string_view File, std::string_view) -> std::optional<NamedLine> {
        EXPECT_EQ(File, "/src/a.c");
        return NamedLine{"a.c", 4};
      });
  ASSERT_TRUE(Placed);
  EXPECT_EQ(rows(Placed->What), (std::vector<std::string>{
                                    "entry a.c help 4 10", "line a.c help 1 10",
                                    "line a.c help 3 7"}));
}

TEST(LineCoverage, RecordsOfOneFileAddUp) {
  auto Read = readLineCoverage(std::string(Gcov) + Gcov, nullptr);
  ASSERT_TRUE(Read);
  EXPECT_EQ(rows(Read->What)[0], "entry /src/a.c help 4 20");
}

TEST(LineCoverage, NumberedFunctionsOfLcov2) {
  auto Read = readLineCoverage("SF:a.c\nFNL:0,4,8\nFNA:0,3,f\nDA:5,3\nDA:9,3\n"
                               "end_of_record\n",
                               nullptr);
  ASSERT_TRUE(Read);
  EXPECT_EQ(rows(Read->What),
            (std::vector<std::string>{"entry a.c f 4 3", "line a.c f 1 3"}));
}

TEST(LineCoverage, BadTextIsSaidOrPassedOver) {
  EXPECT_FALSE(looksLikeLineCoverage("int main(void) { return 0; }\n"));
  EXPECT_FALSE(readLineCoverage("SF:a.c\nend_of_record\n", nullptr));
  auto Read =
      readLineCoverage("SF:a.c\nFN:0,f\nFN:x\nFN:3,g\nFNDA:2,h\nDA:0,1\n"
                       "DA:1\nDA:4,-1\nwhat\nend_of_record\nDA:3,1\n",
                       nullptr);
  ASSERT_TRUE(Read);
  EXPECT_EQ(Read->Notes.OtherLines, 8u);
}

} // namespace
