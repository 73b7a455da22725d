// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/ShellWords.h"

#include <gtest/gtest.h>

using Words = std::vector<std::string>;

namespace kst {
namespace {

struct Case {
  const char *Text;
  Words Expected;
};

TEST(ShellWords, QuotesLikeAShell) {
  const Case Cases[] = {
      {"a b  c", {"a", "b", "c"}},
      {"-DX='\"fair\"'", {"-DX=\"fair\""}},
      {"-DX=\\\"a\\\"", {"-DX=\"a\""}},
      {"\"a b\"c", {"a bc"}},
      {"'a\\b'", {"a\\b"}},
      {"\"a\\\"b\\c\"", {"a\"b\\c"}},
      {"'it'\\''s'", {"it's"}},
      {"''", {""}},
      {"a\\\nb", {"ab"}},
      {"'open", {"open"}},
      {"\"open", {"open"}},
      {"tail\\", {"tail"}},
      {"", {}},
  };
  for (const Case &C : Cases)
    EXPECT_EQ(compileWords(C.Text), C.Expected) << C.Text;
}

TEST(ShellWords, ExpandsNothing) {
  EXPECT_EQ(compileWords("cc -D$(touch x) `rm y` $HOME ~ *.c {a,b}"),
            (Words{"cc", "-D$(touch", "x)", "`rm", "y`", "$HOME", "~", "*.c",
                   "{a,b}"}));
}

TEST(ShellWords, SplitsSimpleCommands) {
  EXPECT_EQ(splitShell("a b; c && d | e\nf & "),
            (std::vector<Words>{{"a", "b"}, {"c"}, {"d"}, {"e"}, {"f"}}));
  EXPECT_EQ(splitShell("a ';' \"&&\" \\;"),
            (std::vector<Words>{{"a", ";", "&&", ";"}}));
}

TEST(ShellWords, PicksTheCompilation) {
  EXPECT_EQ(compileWords("set -e; cc -c -o x.o x.c; ./objtool x.o"),
            (Words{"cc", "-c", "-o", "x.o", "x.c"}));
  EXPECT_EQ(compileWords("cc x.c && rm -rf y"), (Words{"cc", "x.c"}));
  EXPECT_EQ(compileWords("cd . && cc x.c && rm y"), (Words{"cc", "x.c"}));
  EXPECT_EQ(compileWords("cd a && cl /c x.c"), (Words{"cl", "/c", "x.c"}));
  EXPECT_EQ(compileWords("cd a"), (Words{"cd", "a"}));
}

TEST(ShellWords, FollowsCd) {
  EXPECT_EQ(compileDirectory("cc -c x.c"), "");
  EXPECT_EQ(compileDirectory("cd a && mkdir y && cd b && cc -c x.c; cd z"),
            "a/b");
  EXPECT_EQ(compileDirectory("cd a && cd /r && cc -c x.c"), "/r");
  EXPECT_EQ(compileDirectory("cd && cc -c x.c"), "");
  EXPECT_EQ(compileDirectory(""), "");
}

} // namespace
} // namespace kst
