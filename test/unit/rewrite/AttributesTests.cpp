// SPDX-License-Identifier: GPL-2.0-or-later

#include "TestRecord.h"
#include "analyzer/rewrite/Attributes.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

/// The text of the body with [[X]] behind the fields, or the error.
std::string with(const std::string &Body, const char *Names,
                 std::vector<uint32_t> Fields) {
  const std::string Text = "struct s {\n" + Body + "};\n";
  auto Of = Definition::parse(Text, recordOf(Text, Names));
  if (!Of)
    return llvm::toString(Of.takeError());
  auto Made = withAttribute(*Of, Fields, "__x");
  if (!Made)
    return llvm::toString(Made.takeError());
  return Made->substr(11, Made->size() - 11 - 3);
}

} // namespace

TEST(Attributes, BehindTheDeclarator) {
  EXPECT_EQ(with("\tint a;\t/* a; b */\n\tchar b[8];\n", "a b", {0}),
            "\tint a __x;\t/* a; b */\n\tchar b[8];\n");
  EXPECT_EQ(with("\tint a;\n\tchar b[8]; // last\n", "a b", {1, 0}),
            "\tint a __x;\n\tchar b[8] __x; // last\n");
  EXPECT_EQ(with("\tunion {\n\t\tint a;\n\t\tlong b;\n\t} u;\n", "u", {0}),
            "\tunion {\n\t\tint a;\n\t\tlong b;\n\t} u __x;\n");
  EXPECT_EQ(with("\tint a, *b, c;\n", "a b c", {1}),
            "\tint a; int *b __x; int c;\n");
}

TEST(Attributes, CommentsStay) {
  EXPECT_EQ(with("\tint a, /* of a */ *b; /* of b */\n", "a b", {0}),
            "\tint a __x; /* of a */ int *b; /* of b */\n");
  EXPECT_EQ(with("\tint a,\n\t    b;\n", "a b", {1}),
            "\tint a;\n\t    int b __x;\n");
}

TEST(Attributes, NotOnAPartOfWhatCannotBeTakenApart) {
  EXPECT_NE(with("\tint (*a)(int), b;\n", "a b", {0}).find("shares"),
            std::string::npos);
}
