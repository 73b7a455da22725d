// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Place.h"
#include "test/unit/pipeline/AskedTree.h"

using namespace kst;
using kst::test::AskedTree;
using kst::test::good;
using kst::test::said;

namespace {

PlaceRequest asking(AskedTree &Tree, const std::string &Field) {
  PlaceRequest Asked = Tree.asking<PlaceRequest>("queue");
  Asked.Field = Field;
  Asked.UsedWith = {"head"};
  return Asked;
}

TEST(Place, BesideTheFieldThatItIsUsedWith) {
  AskedTree Tree;
  PlaceReport Answer = good(place(asking(Tree, "long count")));
  EXPECT_EQ(Answer.Record.Name, "queue");
  EXPECT_TRUE(Answer.Advice.Evidence);
  // Beside `tail`, which the visits that use `head` need anyway.
  ASSERT_FALSE(Answer.Advice.Gaps.empty());
  EXPECT_GE(Answer.Advice.Gaps.front().In.front().OffsetBits / 8, 120u);
  EXPECT_EQ(Answer.Asked.WriteShare, 0);
}

TEST(Place, WriteShareFollowsTheWriter) {
  AskedTree Tree;
  PlaceRequest Asked = asking(Tree, "long count");
  Asked.Writes = Writer::Remote;
  EXPECT_EQ(good(place(Asked)).Asked.WriteShare, 0.1);
  Asked.WriteShare = 3;
  EXPECT_EQ(good(place(Asked)).Asked.WriteShare, 3);
}

TEST(Place, NamesTheReference) {
  AskedTree Tree;
  PlaceRequest Asked = asking(Tree, "long count");
  EXPECT_EQ(good(place(Asked)).Evidence, "static");
  Tree.file("rates", "kstatic-affinity reference 3\nruns 3\nrelease 6.1\n"
                     "@use.c\nused 90\nput 10\n");
  Asked.References.Files = {Tree.path("rates")};
  PlaceReport Answer = good(place(Asked));
  EXPECT_EQ(Answer.Reference, "3 recordings on 6.1");
  EXPECT_GT(Answer.ReferenceShare, 0.9);
  EXPECT_NE(Answer.Evidence.find("rates of 3 recordings on 6.1"),
            std::string::npos);
}

TEST(Place, MistakesNameTheOption) {
  AskedTree Tree;
  PlaceRequest Asked = asking(Tree, "mystery_t m");
  auto [Code, Text] = said(place(Asked).takeError());
  EXPECT_EQ(Code, ExitUsage);
  EXPECT_EQ(Text.substr(0, 8), "--field ");
  Asked.UsedWith = {"haed"};
  EXPECT_EQ(said(place(Asked).takeError()).second,
            "--used-with: 'queue' has no top-level field 'haed'; did you mean "
            "'head'?\n");
}

} // namespace
