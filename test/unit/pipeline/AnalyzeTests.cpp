// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Patch.h"
#include "test/unit/pipeline/AskedTree.h"

using namespace kst;
using kst::test::AskedTree;
using kst::test::good;
using kst::test::said;

namespace {

TEST(Analyze, OneStruct) {
  AskedTree Tree;
  Analysis Answer = good(analyze(Tree.asking("queue")));
  ASSERT_EQ(Answer.Structs.size(), 1u);
  EXPECT_EQ(Answer.Status, ExitDone);
  EXPECT_TRUE(Answer.Whole);
  EXPECT_EQ(Answer.Coverage, 1);
  const AnalyzedStruct &Queue = Answer.Structs.front();
  EXPECT_TRUE(Queue.reorders());
  EXPECT_EQ(Queue.Proposed.Evidence.Record.Name, "queue");
  EXPECT_EQ(Queue.Proposed.Evidence.Covered.UnitsParsed, 1u);
  // One of the two fields that are used together moves, or what parts them.
  EXPECT_NE(llvm::count(Queue.Moved, true), 0);
  EXPECT_LT(Queue.Proposed.Layouts.Proposed.Price.total(),
            Queue.Proposed.Layouts.Current.Price.total());
  EXPECT_TRUE(Tree.Warnings.empty());
}

TEST(Analyze, TwoConfigurations) {
  AskedTree Tree;
  Tree.commands("trace.json", "-DTRACE");
  AnalyzeRequest Asked = Tree.asking("queue");
  Asked.Units.BuildDirs = {".", "trace.json"};
  Analysis Answer = good(analyze(std::move(Asked)));
  ASSERT_EQ(Answer.Structs.size(), 1u);
  const StructInConfigs &Found = Answer.Structs.front().Found;
  ASSERT_EQ(Found.Where.size(), 2u);
  EXPECT_EQ(Found.Where[1]->Name, "trace.json");
  EXPECT_EQ(Found.Evidence.Joint.Fields.size(), 4u);
  EXPECT_TRUE(Found.Evidence.Configs[0].Record.Fields[2].Absent);
  EXPECT_FALSE(Found.Evidence.Configs[1].Record.Fields[2].Absent);
}

TEST(Analyze, AMissingStructIsAMistakeWithASuggestion) {
  AskedTree Tree;
  auto [Code, Text] = said(analyze(Tree.asking("quue")).takeError());
  EXPECT_EQ(Code, ExitUsage);
  EXPECT_EQ(Text, "no analysed file defines struct or union 'quue'; did you "
                  "mean 'queue'?\n");
}

TEST(Analyze, TheOthersAreAnsweredWhenOneIsMissing) {
  AskedTree Tree;
  AnalyzeRequest Asked = Tree.asking("quue");
  Asked.Structs.emplace_back().Name = "queue";
  Analysis Answer = good(analyze(Asked));
  EXPECT_EQ(Answer.Structs.size(), 1u);
  EXPECT_EQ(Answer.Status, ExitPartial);
  ASSERT_EQ(Tree.Warnings.size(), 1u);
  EXPECT_NE(Tree.Warnings[0].find("did you mean 'queue'?"), std::string::npos);
  // But not if headers may change.
  Asked.Structs[1].PatchFiles = {"-"};
  auto [Code, Text] = said(analyze(Asked).takeError());
  EXPECT_EQ(Code, ExitUsage);
  EXPECT_NE(Text.find("nothing is done"), std::string::npos);
}

TEST(Analyze, APathThatIsNotThereCostsOnlyItself) {
  AskedTree Tree;
  AnalyzeRequest Asked = Tree.asking("queue");
  Asked.Units.Paths = {"use.c", "gone"};
  EXPECT_EQ(said(analyze(Asked).takeError()).first, ExitUsage);
  Asked.Units.SomePaths = true;
  Analysis Answer = good(analyze(Asked));
  EXPECT_EQ(Answer.Structs.size(), 1u);
  EXPECT_EQ(Answer.Status, ExitPartial);
  ASSERT_EQ(Tree.Warnings.size(), 1u);
  EXPECT_EQ(Tree.Warnings[0], "gone: no such file or directory");
  Asked.Structs[0].PatchFiles = {"-"};
  auto [Code, Text] = said(analyze(Asked).takeError());
  EXPECT_EQ(Code, ExitUsage);
  EXPECT_NE(Text.find("nothing is done"), std::string::npos);
}

TEST(Analyze, EveryMistakeInARequestIsSaidAtOnce) {
  AskedTree Tree;
  AnalyzeRequest Asked = Tree.asking("queue");
  Asked.Structs[0].Pins = {"haed=first"};
  Asked.Structs[0].WhatIf = {"move tial first"};
  Asked.Hot = {{"usde", 1}};
  Asked.HotFrom = {{"usde", "--hot usde"}};
  auto [Code, Text] = said(analyze(Asked).takeError());
  EXPECT_EQ(Code, ExitUsage);
  EXPECT_NE(Text.find("--pin haed=first: "), std::string::npos);
  EXPECT_NE(Text.find("--what-if 'move tial first': "), std::string::npos);
  EXPECT_NE(Text.find("did you mean 'used'?"), std::string::npos);
}

TEST(Analyze, NoUnitParses) {
  AskedTree Tree;
  Tree.file("use.c", "#include \"queue.h\"\nlong broken(");
  auto [Code, Text] = said(analyze(Tree.asking("queue")).takeError());
  EXPECT_EQ(Code, ExitNoResult);
  EXPECT_NE(Text.find("no file could be analysed"), std::string::npos);
}

TEST(Patch, IsATextAndChangesNothing) {
  AskedTree Tree;
  AnalyzeRequest Asked = Tree.asking("queue");
  Asked.Structs[0].PatchFiles = {"queue.patch"};
  const std::vector<std::string> Before = Tree.files();
  Analysis Answer = good(analyze(Asked));
  std::vector<PatchText> Patches = good(makePatches(Answer, false));
  ASSERT_EQ(Patches.size(), 1u);
  EXPECT_EQ(Patches[0].File, "queue.patch");
  EXPECT_NE(Patches[0].Text.find("--- a/queue.h\n+++ b/queue.h\n"),
            std::string::npos);
  EXPECT_TRUE(good(changedHeaders(Answer, false)).empty());
  EXPECT_EQ(Tree.files(), Before);
}

TEST(Patch, ANewHeaderWhereWritingIsAskedFor) {
  AskedTree Tree;
  AnalyzeRequest Asked = Tree.asking("queue");
  Asked.Structs[0].Write = true;
  Analysis Answer = good(analyze(Asked));
  std::vector<TextFile> Headers = good(changedHeaders(Answer, false));
  ASSERT_EQ(Headers.size(), 1u);
  EXPECT_EQ(Headers[0].Path, Tree.path("queue.h"));
  EXPECT_EQ(Headers[0].Text.substr(0, 15), "struct queue {\n");
  // Asked again about what it proposes, it has nothing to say.
  Tree.file("queue.h", Headers[0].Text);
  Analysis Again = good(analyze(Asked));
  ASSERT_EQ(Again.Structs.size(), 1u);
  EXPECT_FALSE(Again.Structs.front().reorders());
  EXPECT_TRUE(good(changedHeaders(Again, false)).empty());
}

TEST(Patch, NoneIfNotAllThatSeeTheDefinitionWereLookedAt) {
  AskedTree Tree;
  Tree.file("other.c", "#include \"queue.h\"\nlong o(struct queue *q) { return "
                       "q->tail; }\n");
  Tree.file("compile_commands.json",
            "[{\"directory\":\"" + Tree.Root +
                "\",\"file\":\"use.c\",\"command\":\"clang -c use.c\"},"
                "{\"directory\":\"" +
                Tree.Root +
                "\",\"file\":\"other.c\",\"command\":\"clang -c other.c\"}]");
  AnalyzeRequest Asked = Tree.asking("queue");
  Asked.Units.Paths = {"use.c"};
  Asked.Structs[0].Write = true;
  Analysis Answer = good(analyze(Asked));
  EXPECT_EQ(Answer.Status, ExitUsage);
  EXPECT_FALSE(Answer.Whole);
  ASSERT_EQ(Tree.Warnings.size(), 2u);
  EXPECT_NE(Tree.Warnings[0].find("1 of 2 units"), std::string::npos);
  Asked.WriteUnseen = true;
  EXPECT_TRUE(good(analyze(Asked)).Whole);
}

} // namespace
