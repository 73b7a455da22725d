// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/request/StructSearch.h"

#include "test/unit/request/RequestTree.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

class StructSearchTest : public testing::Test {
protected:
  std::vector<FoundStruct> find(const std::vector<std::string> &Names,
                                bool Complete = true) {
    return findStructs(IncludeGraph(Tree.Units), Names, Complete,
                       Tree.prober());
  }
  FoundStruct one(const std::string &Name) { return find({Name}).front(); }

  test::RequestTree Tree;
};

TEST_F(StructSearchTest, LaysOutADefinitionInOneUnit) {
  Tree.file("ring.h", "struct ring { int head, tail; };\n");
  Tree.unit("a.c", "#include \"ring.h\"\n");
  Tree.unit("b.c", "#include \"ring.h\"\n");
  FoundStruct Found = one("ring");
  EXPECT_EQ(Found.Mistake, "");
  EXPECT_EQ(Found.Name, "ring");
  ASSERT_TRUE(Found.Record);
  EXPECT_EQ(Found.Record->File, "ring.h");
  EXPECT_EQ(Found.Record->Fields.size(), 2u);
  EXPECT_EQ(Tree.Asked, (std::vector<uint32_t>{0}));
}

TEST_F(StructSearchTest, AsksNobodyAboutWhatIsMentionedNowhere) {
  Tree.unit("a.c", "struct ring { int head; };\n#error never parsed\n");
  FoundStruct Found = one("rng");
  EXPECT_EQ(Found.Mistake, "no analysed file defines struct or union 'rng'; "
                           "did you mean 'ring'?");
  EXPECT_TRUE(Tree.Asked.empty());
  EXPECT_EQ(one("something_else").Mistake,
            "no analysed file defines struct or union 'something_else'");
  // Nothing is sure when a file could not be read.
  EXPECT_EQ(find({"rng"}, /*Complete=*/false).front().Mistake, "");
}

TEST_F(StructSearchTest, OneUnknownLeavesTheOthers) {
  Tree.unit("a.c", "struct ring { int head; };\n");
  std::vector<FoundStruct> Found = find({"rng", "ring"});
  EXPECT_NE(Found[0].Mistake, "");
  EXPECT_EQ(Found[1].Mistake, "");
  EXPECT_TRUE(Found[1].Record);
}

TEST_F(StructSearchTest, AMentionIsSettledByTheFrontEnd) {
  Tree.unit("a.c", "struct ring;\nint slot(void);\n");
  EXPECT_EQ(one("ring").Mistake,
            "no analysed file defines struct or union 'ring'");
  EXPECT_EQ(one("slot").Record, std::nullopt);
  EXPECT_NE(one("slot").Mistake, "");
}

TEST_F(StructSearchTest, MacrosMaySpellADefinition) {
  Tree.unit("a.c", "#define DEFINE(NAME) struct NAME { int x; }\n"
                   "DEFINE(ring);\n");
  EXPECT_TRUE(one("ring").Record);
  Tree.unit("b.c", "#define EVENT(NAME) struct raw_##NAME { int x; }\n"
                   "EVENT(slot);\n");
  EXPECT_EQ(one("raw_slot").Mistake, ""); // left to the analysis
  EXPECT_NE(one("row_slot").Mistake, "");
}

TEST_F(StructSearchTest, ATypedefStandsForItsTag) {
  Tree.unit("a.c", "typedef struct _stritem { int x; } item;\n"
                   "typedef struct _conn conn;\nstruct _conn { int y; };\n"
                   "typedef struct { int z; } bare;\n"
                   "typedef struct _conn *conn_ptr;\n");
  EXPECT_EQ(one("item").Name, "_stritem");
  EXPECT_TRUE(one("item").Record);
  EXPECT_EQ(one("conn").Name, "_conn");
  EXPECT_EQ(one("bare").Name, "bare");
  EXPECT_TRUE(one("bare").Record);
  EXPECT_EQ(one("conn_ptr").Mistake,
            "'conn_ptr' is no struct but leads to struct '_conn'; say --struct "
            "_conn");
}

TEST_F(StructSearchTest, SeveralDefinitionsAreToldApartByTheirFile) {
  Tree.unit("a.c", "struct conn { int x; };\n");
  Tree.unit("sub/b.c", "struct conn { int x, y; };\n");
  EXPECT_EQ(one("conn").Mistake,
            "struct 'conn' has 2 different definitions; say which:\n"
            "  conn@a.c  (line 1, 4 bytes, 1 fields)\n"
            "  conn@sub/b.c  (line 1, 8 bytes, 2 fields)");
  FoundStruct Second = one("conn@b.c");
  EXPECT_EQ(Second.Mistake, "");
  EXPECT_EQ(Second.Name, "conn@b.c");
  ASSERT_TRUE(Second.Record);
  EXPECT_EQ(Second.Record->Fields.size(), 2u);
  EXPECT_EQ(one("conn@c.c").Mistake.substr(0, 52),
            "no definition of struct 'conn' in c.c; there is:\n  c");
}

TEST_F(StructSearchTest, WhatTheConfigurationLeavesOutIsNoSecondDefinition) {
  Tree.unit("a.c", "#if 0\nstruct conn { int x; };\n#endif\n");
  Tree.unit("b.c", "struct conn { int x, y; };\n");
  FoundStruct Found = one("conn");
  EXPECT_EQ(Found.Mistake, "");
  ASSERT_TRUE(Found.Record);
  EXPECT_EQ(Found.Record->File, "b.c");
}

TEST_F(StructSearchTest, AsksNobodyWhereTheTextSuffices) {
  Tree.file("ring.h", "struct ring { int head; };\n"
                      "typedef struct _slot { int x; } slot;\n");
  Tree.unit("a.c", "#include \"ring.h\"\nstruct conn { int x; };\n");
  Tree.unit("b.c", "struct conn { int x, y; };\n");
  auto Find = [&](const std::string &Name) {
    Tree.Asked.clear();
    return findStructs(IncludeGraph(Tree.Units), {Name}, true, Tree.prober(),
                       {0})
        .front();
  };
  FoundStruct Found = Find("ring");
  EXPECT_EQ(Found.Name, "ring");
  EXPECT_EQ(Found.Mistake, "");
  EXPECT_FALSE(Found.Record);
  EXPECT_TRUE(Tree.Asked.empty());
  // Two files, a typedef, a place that may be wrong: as ever.
  EXPECT_NE(Find("conn").Mistake, "");
  EXPECT_EQ(Find("slot").Name, "_slot");
  EXPECT_FALSE(Tree.Asked.empty());
  EXPECT_NE(Find("ring@a.c").Mistake, "");
  EXPECT_NE(Find("rink").Mistake, "");
}

TEST_F(StructSearchTest, AUnitThatFailsLeavesItToTheAnalysis) {
  Tree.unit("a.c", "struct ring { int x; };\nint f(void) { }\n#error no\n");
  FoundStruct Found = one("ring");
  EXPECT_EQ(Found.Mistake, "");
  EXPECT_FALSE(Found.Record);
}

} // namespace
