// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/ProfileFiles.h"
#include "hybrid/pipeline/ProfileImport.h"
#include "hybrid/profile/ProfileFile.h"
#include "hybrid/trace/SampledTrace.h"
#include "test/unit/pipeline/AskedTree.h"
#include "test/unit/profile/SmallProfile.h"
#include "test/unit/trace/SmallTrace.h"

using namespace kst;
using kst::test::AskedTree;
using kst::test::good;
using kst::test::said;

namespace {

constexpr char Log[] =
    "w 1 [000] 1.0: mem: Accessed queue[1]->head in used (access)\n"
    "w 1 [000] 2.0: mem: Accessed queue[1]->head in put (modify)\n";

TEST(ProfileFiles, AProfileThatDoesNotFitIsNoEvidence) {
  AskedTree Tree;
  Tree.file("ring.kstp", writeProfile(largeProfile(2, "of another struct")));
  AnalyzeRequest Asked = Tree.asking("queue");
  Asked.Profiles = {{Tree.path("ring.kstp"), 1}};
  Analysis Answer = good(analyze(Asked));
  EXPECT_EQ(Answer.Status, ExitNoResult);
  EXPECT_TRUE(Answer.Structs.empty());
  ASSERT_EQ(Tree.Warnings.size(), 1u);
  EXPECT_NE(Tree.Warnings[0].find("does not fit the analysed source"),
            std::string::npos);
}

TEST(ProfileFiles, WhatIsNoProfileIsAMistake) {
  AskedTree Tree;
  Tree.file("log", Log);
  AnalyzeRequest Asked = Tree.asking("queue");
  Asked.Profiles = {{Tree.path("log"), 1}};
  auto [Code, Text] = said(analyze(Asked).takeError());
  EXPECT_EQ(Code, ExitUsage);
  EXPECT_NE(Text.find("not a profile"), std::string::npos);
}

TEST(ProfileFiles, ImportedByContentAndUsed) {
  AskedTree Tree;
  Tree.file("log", Log);
  std::vector<std::string> Notes;
  ImportRequest Import{{Tree.path("log")}, {}, "by hand", {}, {}};
  Import.Diags.Note = [&](const std::string &Text) { Notes.push_back(Text); };
  Profile Imported = good(importProfile(Import));
  EXPECT_EQ(Imported.Text["label"], "by hand");
  EXPECT_EQ(Notes, std::vector<std::string>{Tree.path("log") + ": 2 accesses"});
  Tree.file("log.kstp", writeProfile(Imported));
  AnalyzeRequest Asked = Tree.asking("queue");
  Asked.Profiles = {{Tree.path("log.kstp"), 1}};
  Analysis Answer = good(analyze(Asked));
  ASSERT_EQ(Answer.Structs.size(), 1u);
  EXPECT_TRUE(Answer.Structs.front().Proposed.Evidence.Covered.Dynamic);
}

TEST(ProfileFiles, SamplesHaveNoOrder) {
  AskedTree Tree;
  auto Order = [&](TraceTables Tables) {
    Tree.file("run.kstt", kst_test::traceBytes(Tables, {{1, 5, 0, 2}}));
    auto Read = good(ProfileFiles::read({{Tree.path("run.kstt"), 1}}));
    return !Read.weighted().front().Trace.empty();
  };
  TraceTables Tables = kst_test::smallTables();
  EXPECT_TRUE(Order(Tables));
  Tables.About.Text[SampledAccesses] = "by perf";
  EXPECT_FALSE(Order(Tables));
}

TEST(ProfileFiles, UnknownRecordingsAreRefused) {
  AskedTree Tree;
  Tree.file("noise", "neither this nor that\n");
  auto [Code, Text] =
      said(importProfile({{Tree.path("noise")}, {}, "", {}, {}}).takeError());
  EXPECT_EQ(Code, ExitUsage);
  EXPECT_NE(Text.find("of no known format"), std::string::npos);
}

TEST(ProfileFiles, DescribesOneStruct) {
  AskedTree Tree;
  Tree.file("ring.kstp", writeProfile(smallProfile()));
  EXPECT_EQ(good(describeProfile(Tree.path("ring.kstp"), "ring", {})).Struct,
            "ring");
  auto [Code, Text] =
      said(describeProfile(Tree.path("ring.kstp"), "rign", {}).takeError());
  EXPECT_EQ(Code, ExitUsage);
  EXPECT_NE(Text.find("knows no struct rign; it has "), std::string::npos);
}

} // namespace
