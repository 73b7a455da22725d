// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/change/SameCode.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

TEST(SameCode, CommentsAndBlanksAreNoCode) {
  EXPECT_TRUE(
      isSameCode("int a; /* one */\nint b;\n", "int  a;\n// two\n\tint b;"));
  EXPECT_TRUE(
      isSameCode("#define A 1\nint a;\n", "#define A 1 /* x */\nint a;"));
}

TEST(SameCode, TokensAre) {
  EXPECT_FALSE(isSameCode("int a;", "int b;"));
  EXPECT_FALSE(isSameCode("char *s = \"/* a */\";", "char *s = \"/* b */\";"));
}

TEST(SameCode, ADirectiveEndsWithItsLine) {
  EXPECT_FALSE(isSameCode("#define A\nint a;\n", "#define A int a;\n"));
  EXPECT_FALSE(isSameCode("#define A (x)\n", "#define A(x)\n"));
}

TEST(SameCode, MembersAlone) {
  EXPECT_TRUE(differsInMembersOnly("struct s { int a; }; int f(void);",
                                   "struct s { int a, b; }; int f(void);"));
  EXPECT_TRUE(differsInMembersOnly("struct s { union { int a; }; int b; };",
                                   "struct s { int b; };"));
}

TEST(SameCode, FunctionsThatReturnOrTakeAStructAreNoMembers) {
  EXPECT_FALSE(differsInMembersOnly("struct s *f(void) { return 0; }",
                                    "struct s *f(void) { return g(); }"));
  EXPECT_FALSE(differsInMembersOnly("int f(struct s *p) { return p->a; }",
                                    "int f(struct s *p) { return p->b; }"));
}

TEST(SameCode, AMacroAmongMembersIsCode) {
  EXPECT_FALSE(differsInMembersOnly("struct s {\n#define A 1\nint a; };",
                                    "struct s {\n#define A 2\nint a; };"));
}

} // namespace
