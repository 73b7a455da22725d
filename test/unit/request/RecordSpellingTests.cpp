// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/core/RecordSpelling.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

TEST(RecordSpelling, NameFileAndLine) {
  for (const char *Text : {"conn", "conn@memcached.h", "conn@a/b.h:12"})
    EXPECT_EQ(parseRecordSpelling(Text).text(), Text);
  RecordSpelling Spelling = parseRecordSpelling("conn@./a/b.h:12");
  EXPECT_EQ(Spelling.Name, "conn");
  EXPECT_EQ(Spelling.File, "a/b.h");
  EXPECT_EQ(Spelling.Line, 12u);
  // No line: a part of the file's name.
  EXPECT_EQ(parseRecordSpelling("conn@b:x").File, "b:x");
}

TEST(RecordSpelling, MatchesWholePartsOfThePath) {
  RecordSpelling Spelling = parseRecordSpelling("conn@b.h");
  EXPECT_TRUE(Spelling.isAt("b.h", 1));
  EXPECT_TRUE(Spelling.isAt("a/b.h", 9));
  EXPECT_FALSE(Spelling.isAt("ab.h", 1));
  EXPECT_FALSE(Spelling.isAt("b.h/c.h", 1));
  EXPECT_TRUE(parseRecordSpelling("conn").isAt("any.h", 3));
  EXPECT_FALSE(parseRecordSpelling("conn@b.h:2").isAt("b.h", 3));
  EXPECT_TRUE(parseRecordSpelling("conn@b.h:2").isAt("b.h", 2));
}

} // namespace
