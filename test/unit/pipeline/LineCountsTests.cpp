// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/LineCounts.h"

#include "hybrid/profile/ProfileCheck.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

/// Lines as `KIND FUNCTION+LINE COUNT`, in the order of the profile.
std::string sites(const FunctionCode &Code, const ExecutedCode &Ran) {
  ProfileBuilder Make;
  addLineCounts(Code, Ran, Make);
  auto Made = Make.finish();
  EXPECT_TRUE(bool(Made));
  EXPECT_FALSE(checkProfile(*Made).has_value());
  std::string Out;
  for (const MeasuredSite &S : Made->Sites) {
    EXPECT_EQ(S.Struct, NoStruct);
    Out += S.Kind == SiteKind::Entry ? "entry " : "line ";
    Out += Made->text(S.Function) + " " +
           std::to_string(static_cast<int32_t>(S.Line)) + " " +
           std::to_string(S.Count) + "\n";
  }
  return Out;
}

ExecutedCode executed(const char *Text) {
  auto Read = readExecutedCode(Text);
  EXPECT_TRUE(bool(Read)) << Read.error();
  return *Read;
}

TEST(LineCounts, SumOverCopiesTheMostOfEach) {
  FunctionCode Code;
  Code.Functions = {{"outer", "a.c", 10}, {"inner", "a.c", 5}};
  Code.Copies = {{0, 0x100}, {1, 0x110}, {1, 0x200}};
  Code.Stretches = {{0x100, 0x110, 0, 11}, {0x110, 0x120, 1, 6},
                    {0x120, 0x128, 0, 12}, {0x128, 0x130, 0, 11},
                    {0x200, 0x210, 2, 6},  {0x210, 0x220, 2, 4}};
  EXPECT_EQ(sites(Code, executed("100 3\n104 3\n110 2\n114 9\n12c 7\n200 1\n"
                                 "204 1\noutside 4\nend\n")),
            "line inner 1 10\n"
            "entry inner 5 3\n"
            "line inner -1 0\n"
            "line outer 1 7\n"
            "line outer 2 0\n"
            "entry outer 10 3\n");
}

TEST(LineCounts, OfFunctionsThatNeverRanAreNoLines) {
  FunctionCode Code;
  Code.Functions = {{"never", "a.c", 10}};
  Code.Copies = {{0, 0x100}};
  Code.Stretches = {{0x100, 0x110, 0, 11}};
  EXPECT_EQ(sites(Code, executed("110 3\noutside 0\nend\n")),
            "entry never 10 0\n");
}

TEST(LineCounts, ARestIsNoEntryOfItsOwn) {
  FunctionCode Code;
  Code.Functions = {{"split", "a.c", 10}};
  Code.Copies = {{0, 0x100}, {0, 0x200, /*Whole=*/false}};
  EXPECT_EQ(sites(Code, executed("100 5\n200 3\nend\n")), "entry split 10 5\n");
  // Of the beginning nothing is left.
  EXPECT_EQ(sites(Code, executed("200 3\nend\n")), "entry split 10 3\n");
}

TEST(LineCounts, RefuseOtherTexts) {
  for (const char *Text :
       {"", "100 1\n", "100 1\nend", "100\nend\n", " 1\nend\n", "1g0 1\nend\n",
        "100 x\nend\n", "100 1 \nend\n", "outside\nend\n",
        "200 1\n100 1\nend\n", "100 18446744073709551616\nend\n", "\nend\n"})
    EXPECT_FALSE(bool(readExecutedCode(Text))) << Text;
  EXPECT_EQ(executed("100 1\noutside 7\nend\n").Outside, 7u);
}

} // namespace
