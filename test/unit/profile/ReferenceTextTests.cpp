// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ReferenceText.h"

#include "hybrid/profile/ProfileCheck.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

const std::string Head = "kstatic-affinity reference 1\n";

/// FILE FUNCTION entries COUNT, or +LINE COUNT, of each row.
std::string rows(const Profile &P) {
  std::string Out;
  for (const MeasuredSite &S : P.Sites) {
    EXPECT_EQ(S.Struct, NoStruct);
    Out += P.text(S.File) + ' ' + P.text(S.Function) + ' ' +
           (S.Kind == SiteKind::Entry ? "entries"
                                      : std::to_string(int32_t(S.Line))) +
           ' ' + std::to_string(S.Count) + '\n';
  }
  return Out;
}

TEST(ReferenceText, FunctionsAndLines) {
  auto Read = readReference(Head + "runs 40\nrelease 6.12.1\n@a.c\nf 12\n"
                                   "+3 24\n+4\n+7 0\nnever\n@b.h\nf 5\n-2\n");
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_FALSE(checkProfile(*Read));
  EXPECT_EQ(Read->Runs, 40u);
  EXPECT_EQ(Read->Text,
            (std::map<std::string, std::string>{{"release", "6.12.1"}}));
  EXPECT_EQ(rows(*Read), "a.c f entries 12\na.c f 3 24\na.c f 4 24\n"
                         "a.c f 7 0\nb.h f entries 5\nb.h f -2 5\n"
                         "a.c never entries 0\n");
}

TEST(ReferenceText, LinesOfAFunctionThatWasNotEntered) {
  auto Read = readReference(Head + "@a.c\nf\n+1\n+2 7\n");
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(rows(*Read), "a.c f entries 0\na.c f 1 0\na.c f 2 7\n");
}

TEST(ReferenceText, OtherTextIsRefused) {
  EXPECT_FALSE(looksLikeReference("KSTPROFL"));
  EXPECT_FALSE(readReference("kstatic-affinity reference 2\n"));
  struct {
    const char *Text, *Why;
  } Broken[] = {
      {"runs 0\n", "line 2 is not understood"},
      {"runs 1", "the reference is cut short"},
      {"release\n", "line 2 is not understood"},
      {"release a\nrelease b\n", "line 3 is not understood"},
      {"@\n", "line 2 is not understood"},
      {"@a.c\n+1 2\n", "line 3 is not understood"},
      {"@a.c\nf 1\n@b.c\n+1 2\n", "line 5 is not understood"},
      {"@a.c\nf x\n", "line 3 is not understood"},
      {"@a.c\nf 1 2\n", "line 3 is not understood"},
      {"@a.c\nf 99999999999999999999\n", "line 3 is not understood"},
      {"@a.c\nf 1\nf 2\n", "line 4 is not understood"},
      {"@a.c\nf 1\n+1 2\n+1 3\n", "line 5 is not understood"},
      {"@a.c\nf 1\n+99999999999 2\n", "line 4 is not understood"},
      {"@a.c\nf 1\n+-1 2\n", "line 4 is not understood"},
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

} // namespace
