// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Questions.h"

#include "test/unit/pipeline/AskedTree.h"
#include "test/unit/request/RequestTree.h"

using namespace kst;
using kst::test::said;

namespace {

/// The struct `s` of a text.
RecordInfo recordOf(const std::string &Text) {
  test::RequestTree Tree;
  Tree.unit("a.c", Text);
  return *findStructs(IncludeGraph(Tree.Units), {"s"}, true, Tree.prober())
              .front()
              .Record;
}

/// A request about `s`, beside another struct if Several.
AnalyzeRequest asking(bool Several = false) {
  AnalyzeRequest Asked;
  Asked.Structs.emplace_back().Name = "s";
  if (Several)
    Asked.Structs.emplace_back();
  return Asked;
}

std::vector<std::string> mistakes(const AnalyzeRequest &Asked,
                                  std::vector<RecordInfo> Records,
                                  std::vector<std::string> UsedWith = {}) {
  auto [Code, Text] =
      said(fieldMistakes(Asked, Asked.Structs[0], UsedWith, Records, {}));
  EXPECT_EQ(Code, Text.empty() ? ExitDone : ExitUsage);
  std::vector<std::string> Lines;
  for (llvm::StringRef Rest = Text, Line; !Rest.empty();) {
    std::tie(Line, Rest) = Rest.split('\n');
    Lines.push_back(Line.str());
  }
  return Lines;
}

TEST(Questions, WellSaidIsNoMistake) {
  TempTree Tree;
  Tree.file("order", "b\na\n");
  RecordInfo S = recordOf("struct s { long a, b; int c : 3, d : 4; };");
  AnalyzeRequest Asked = asking();
  Asked.Structs[0].Pins = {"a=first", "b"};
  Asked.Structs[0].WhatIf = {"move b before a", "swap a and b"};
  Asked.Structs[0].OrderFiles = {Tree.path("order")};
  EXPECT_TRUE(mistakes(Asked, {S}, {"c"}).empty());
}

TEST(Questions, EveryMistakeIsSaid) {
  TempTree Tree;
  Tree.file("mine", "second\nfrst\n");
  RecordInfo S = recordOf("struct s { long first, second; };");
  AnalyzeRequest Asked = asking(true);
  Asked.Structs[0].Pins = {"frst=first", "first=frst"};
  Asked.Structs[0].WhatIf = {"move secnd first", "put it there"};
  Asked.Structs[0].OrderFiles = {Tree.path("mine")};
  std::vector<std::string> Wrong = mistakes(Asked, {S}, {"secnod"});
  ASSERT_EQ(Wrong.size(), 6u);
  EXPECT_EQ(Wrong[0], "--pin s:frst=first: 's' has no top-level field 'frst'; "
                      "did you mean 'first'?");
  EXPECT_EQ(Wrong[1].substr(0, 41),
            "--pin s:first=frst: 'frst' is none of fir");
  EXPECT_EQ(Wrong[2], "--used-with: 's' has no top-level field 'secnod'; did "
                      "you mean 'second'?");
  EXPECT_EQ(Wrong[3], "--what-if 's:move secnd first': 's' has no top-level "
                      "field 'secnd'; did you mean 'second'?");
  EXPECT_NE(Wrong[4].find("expected 'move' or 'swap'"), std::string::npos);
  EXPECT_EQ(Wrong[5].substr(0, 14 + Tree.Root.size()),
            Tree.path("mine") + ":2: 's' h");
}

TEST(Questions, AFieldOfAnyConfigurationWillDo) {
  RecordInfo A = recordOf("struct s {\nlong a;\n#if 0\nlong b;\n#endif\n};");
  RecordInfo B = recordOf("struct s {\nlong a;\n#if 1\nlong b;\n#endif\n};");
  AnalyzeRequest Asked = asking();
  Asked.Structs[0].Pins = {"b=last"};
  EXPECT_TRUE(mistakes(Asked, {A, B}).empty());
  EXPECT_EQ(mistakes(Asked, {A}).size(), 1u);
}

} // namespace
