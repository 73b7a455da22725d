// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ReferenceText.h"
#include "hybrid/profile/VisitorTable.h"

#include "hybrid/profile/ProfileCheck.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

const std::string Head = "kstatic-affinity reference 3\n";

/// FILE FUNCTION entries COUNT, or FIRST..LAST COUNT ANCHOR, of each row.
std::string rows(const Profile &P) {
  std::string Out;
  for (const MeasuredSite &S : P.Sites) {
    EXPECT_EQ(S.Struct, NoStruct);
    Out += P.text(S.File) + ' ' + P.text(S.Function) + ' ';
    if (S.Kind == SiteKind::Entry) {
      Out += "entries " + std::to_string(S.Count) + '\n';
      continue;
    }
    const int32_t Line = int32_t(S.Line);
    Out += std::to_string(Line) + ".." +
           std::to_string(Line + int32_t(S.SizeBytes) - 1) + ' ' +
           std::to_string(S.Count) + ' ' + std::to_string(S.Column) + '\n';
  }
  return Out;
}

TEST(ReferenceText, FunctionsAndTheirLinesUntilTheNextRow) {
  auto Read =
      readReference(Head + "runs 40\nrelease 6.12.1\n@a.c\nf 12\n"
                           "+3 24 0a\n+5 0\n+7\nnever\n@b.h\nf 5\n-2 1\n");
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_FALSE(checkProfile(*Read));
  EXPECT_EQ(Read->Runs, 40u);
  EXPECT_EQ(Read->Text,
            (std::map<std::string, std::string>{{"release", "6.12.1"}}));
  EXPECT_EQ(rows(*Read), "a.c f entries 12\na.c f 0..2 12 0\na.c f 3..4 24 11\n"
                         "a.c f 5..6 0 0\nb.h f entries 5\nb.h f -2..-2 1 0\n"
                         "a.c never entries 0\n");
}

TEST(ReferenceText, LinesOfAFunctionThatWasNotEntered) {
  auto Read = readReference(Head + "@a.c\nf\n+2 7\n+3\n");
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(rows(*Read), "a.c f entries 0\na.c f 0..1 0 0\na.c f 2..2 7 0\n");
}

TEST(ReferenceText, AFileOfWhichNothingRan) {
  auto Read = readReference(Head + "@a.c\n@b.c\nf 1\n@c.c\n");
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(rows(*Read), "a.c  entries 0\nc.c  entries 0\nb.c f entries 1\n");
}

TEST(ReferenceText, KeepsWhatIsWanted) {
  const std::string Text = Head + "runs 3\n@a.c\ng 2\n+4 5\nf 12\n+3 24\n@b.c\n"
                                  "@c.c\ng 1\n+2 6\n";
  auto Wants = [](std::string_view Wanted) {
    return [=](std::string_view Name) { return Name == Wanted; };
  };
  auto Read = readReference(Text, Wants("f"));
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(Read->Runs, 3u);
  EXPECT_EQ(rows(*Read), "b.c  entries 0\na.c f entries 12\na.c f 0..2 12 0\n"
                         "a.c f 3..3 24 0\n");
  for (const char *Wrong : {"g 3\n", "+1 2\n", "g 1 2\n"})
    EXPECT_FALSE(readReference(Text + Wrong, Wants("f"))) << Wrong;
}

TEST(ReferenceText, OtherTextIsRefused) {
  EXPECT_FALSE(looksLikeReference("KSTPROFL"));
  EXPECT_FALSE(readReference("kstatic-affinity reference 1\n"));
  struct {
    const char *Text, *Why;
  } Broken[] = {
      {"runs 0\n", "line 2 is not understood"},
      {"runs 1", "the reference is cut short"},
      {"runs 1\nruns 1\n", "line 3 is not understood"},
      {"release\n", "line 2 is not understood"},
      {"release a\nrelease b\n", "line 3 is not understood"},
      {"@\n", "line 2 is not understood"},
      {"@a.c\n@a.c\n", "line 3 is not understood"},
      {"@a.c\n+1 2\n", "line 3 is not understood"},
      {"@a.c\nf 1\n@b.c\n+1 2\n", "line 5 is not understood"},
      {"@a.c\nf x\n", "line 3 is not understood"},
      {"@a.c\nf 1 2\n", "line 3 is not understood"},
      {"@a.c\nf 99999999999999999999\n", "line 3 is not understood"},
      {"@a.c\nf 1\nf 2\n", "line 4 is not understood"},
      {"@a.c\nf 1\n+1 2\n+1 3\n", "line 5 is not understood"},
      {"@a.c\nf 1\n+4 2\n+2 3\n", "line 5 is not understood"},
      {"@a.c\nf 1\n+99999999999 2\n", "line 4 is not understood"},
      {"@a.c\nf 1\n+2000000 2\n", "line 4 is not understood"},
      {"@a.c\nf 1\n+-1 2\n", "line 4 is not understood"},
      {"@a.c\nf 1\n+1 2 0aa\n", "line 4 is not understood"},
      {"@a.c\nf 1\n+1 2 0!\n", "line 4 is not understood"},
      {"@a.c\nf 1\n+1 2 0a 3\n", "line 4 is not understood"},
      {"@a.c\nf 1 \n", "line 3 is not understood"},
      {"@a.c\nf\x01 1\n", "line 3 is not understood"},
      {"@a\t.c\nf 1\n", "line 2 is not understood"},
      {"@a.c\n\n", "line 3 is not understood"},
  };
  for (const auto &[Text, Why] : Broken) {
    auto Read = readReference(Head + Text);
    EXPECT_FALSE(Read) << Text;
    EXPECT_EQ(Read.error(), Why) << Text;
  }
}

TEST(ReferenceText, EveryBeginningIsRefusedOrGood) {
  const std::string Text = Head + "runs 2\n@a.c\nf 12\n+3 24\n+4\n";
  for (size_t Size = 0; Size < Text.size(); ++Size) {
    auto Read = readReference(Text.substr(0, Size));
    EXPECT_EQ(bool(Read), Size >= Head.size() && Text[Size - 1] == '\n');
  }
}

TEST(ReferenceText, VisitorsBelongToTheFunctionBefore) {
  const std::string Text = "kstatic-affinity reference 3\nruns 1\n"
                           "@kernel/sched/core.c\ntry_to_wake_up 7\n"
                           "=task_struct 45\n=rq 0\n+3 5\nschedule 9\n"
                           "=task_struct 0\n@kernel/fork.c\ndup 1\n";
  ASSERT_TRUE(readReference(Text));
  const VisitorTable Seen(Text);
  const auto *Of = Seen.of("task_struct");
  ASSERT_TRUE(Of);
  EXPECT_EQ(Of->size(), 2u);
  EXPECT_DOUBLE_EQ(Of->at("kernel/sched/core.c:try_to_wake_up"), 0.45);
  EXPECT_DOUBLE_EQ(Of->at("kernel/sched/core.c:schedule"), 0);
  EXPECT_FALSE(Seen.of("mm_struct"));
  for (const char *Row : {"=task_struct", "=task_struct 101", "= 5",
                          "=task_struct -1", "=task_struct 5 a."})
    EXPECT_FALSE(readReference("kstatic-affinity reference 3\nruns 1\n@a.c\n"
                               "f 1\n" +
                               std::string(Row) + "\n"))
        << Row;
  EXPECT_FALSE(readReference("kstatic-affinity reference 3\nruns 1\n@a.c\n"
                             "=task_struct 5\n"))
      << "no function before it";
}

} // namespace
