// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/UnifiedDiff.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

TEST(UnifiedDiff, EqualTextsGiveNothing) {
  EXPECT_EQ(unifiedDiff("f", "a\n", "a\n"), "");
}

TEST(UnifiedDiff, OneLineMoves) {
  EXPECT_EQ(unifiedDiff("d/f.h", "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
                        "1\n2\n3\n4\n6\n5\n7\n8\n9\n"),
            "--- a/d/f.h\n+++ b/d/f.h\n@@ -2,8 +2,8 @@\n 2\n 3\n 4\n-5\n 6\n"
            "+5\n 7\n 8\n 9\n");
}

TEST(UnifiedDiff, FarChangesAreHunksWithHeadings) {
  std::string Old, New;
  for (int I = 1; I <= 20; ++I) {
    Old += std::to_string(I) + "\n";
    if (I != 2 && I != 15)
      New += std::to_string(I) + "\n";
  }
  EXPECT_EQ(unifiedDiff("f", Old, New, {{5, "struct s {"}}),
            "--- a/f\n+++ b/f\n"
            "@@ -1,5 +1,4 @@\n 1\n-2\n 3\n 4\n 5\n"
            "@@ -12,7 +11,6 @@ struct s {\n 12\n 13\n 14\n-15\n 16\n 17\n"
            " 18\n");
}

TEST(UnifiedDiff, AHunkHasTheLastHeadingAboveIt) {
  std::string Old, New;
  for (int I = 1; I <= 40; ++I) {
    Old += std::to_string(I) + "\n";
    if (I != 15 && I != 35)
      New += std::to_string(I) + "\n";
  }
  std::string Diff =
      unifiedDiff("f", Old, New, {{5, "struct a {"}, {25, "struct b {"}});
  EXPECT_NE(Diff.find("@@ -12,7 +12,6 @@ struct a {\n"), std::string::npos);
  EXPECT_NE(Diff.find("@@ -32,7 +31,6 @@ struct b {\n"), std::string::npos);
}

TEST(UnifiedDiff, ChangesSixLinesApartShareAHunk) {
  EXPECT_EQ(unifiedDiff("f", "a\n1\n2\n3\n4\n5\n6\nb\n", "1\n2\n3\n4\n5\n6\n"),
            "--- a/f\n+++ b/f\n@@ -1,8 +1,6 @@\n-a\n 1\n 2\n 3\n 4\n 5\n 6\n"
            "-b\n");
}

TEST(UnifiedDiff, NamesAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(unifiedDiff("my src/\xe9.h", "a\n", "b\n"),
            "--- \"a/my src/\\351.h\"\t\n+++ \"b/my src/\\351.h\"\t\n"
            "@@ -1 +1 @@\n-a\n+b\n");
}

TEST(UnifiedDiff, EmptySidesAndMissingLineEnds) {
  EXPECT_EQ(unifiedDiff("f", "", "a\n"),
            "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(unifiedDiff("f", "a", "b\n"),
            "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of "
            "file\n+b\n");
}

} // namespace
