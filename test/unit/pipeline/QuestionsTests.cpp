// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/request/Questions.h"

#include "test/unit/request/RequestTree.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

/// The struct `s` of a text.
RecordInfo recordOf(const std::string &Text) {
  test::RequestTree Tree;
  Tree.unit("a.c", Text);
  return *findStructs(IncludeGraph(Tree.Units), {"s"}, true, Tree.prober())
              .front()
              .Record;
}

TEST(Questions, WellSaidIsNoMistake) {
  RecordInfo S = recordOf("struct s { long a, b; int c : 3, d : 4; };");
  FieldQuestions Asked;
  Asked.Pins = {{"a=first", "a=first"}, {"s:b", "b"}};
  Asked.WhatIf = {{"x", "move b before a"}, {"y", "swap a and b"}};
  Asked.Orders = {{"file", "b\na\n"}};
  Asked.UsedWith = {"c"};
  EXPECT_TRUE(fieldMistakes(Asked, {S}, {}).empty());
}

TEST(Questions, EveryMistakeIsSaid) {
  RecordInfo S = recordOf("struct s { long first, second; };");
  FieldQuestions Asked;
  Asked.Pins = {{"s:frst=first", "frst=first"}, {"first=frst", "first=frst"}};
  Asked.WhatIf = {{"move secnd first", "move secnd first"},
                  {"put it there", "put it there"}};
  Asked.Orders = {{"mine", "second\nfrst\n"}};
  Asked.UsedWith = {"secnod"};
  std::vector<std::string> Wrong = fieldMistakes(Asked, {S}, {});
  ASSERT_EQ(Wrong.size(), 6u);
  EXPECT_EQ(Wrong[0], "--pin s:frst=first: 's' has no top-level field 'frst'; "
                      "did you mean 'first'?");
  EXPECT_EQ(Wrong[1].substr(0, 39), "--pin first=frst: 'frst' is none of fir");
  EXPECT_EQ(Wrong[2], "--used-with: 's' has no top-level field 'secnod'; did "
                      "you mean 'second'?");
  EXPECT_EQ(Wrong[3], "--what-if 'move secnd first': 's' has no top-level "
                      "field 'secnd'; did you mean 'second'?");
  EXPECT_NE(Wrong[4].find("expected 'move' or 'swap'"), std::string::npos);
  EXPECT_EQ(Wrong[5].substr(0, 8), "mine:2: ");
}

TEST(Questions, AFieldOfAnyConfigurationWillDo) {
  RecordInfo A = recordOf("struct s {\nlong a;\n#if 0\nlong b;\n#endif\n};");
  RecordInfo B = recordOf("struct s {\nlong a;\n#if 1\nlong b;\n#endif\n};");
  FieldQuestions Asked;
  Asked.Pins = {{"b=last", "b=last"}};
  EXPECT_TRUE(fieldMistakes(Asked, {A, B}, {}).empty());
  EXPECT_EQ(fieldMistakes(Asked, {A}, {}).size(), 1u);
}

} // namespace
