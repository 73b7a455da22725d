// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/SourceTypes.h"
#include "hybrid/contexts/TypeGraph.h"

#include <gtest/gtest.h>

namespace {

using namespace kst;

struct GraphOf {
  TypeGraph Graph;
  GraphOf &points(const char *From, const char *Member, uint64_t Offset,
                  const char *To) {
    const uint32_t Target = Graph.type(To);
    Graph.Types[Graph.type(From)].Links.push_back({Member, Offset, Target});
    return *this;
  }
  GraphOf &holds(const char *From, const char *Member, uint64_t Offset,
                 const char *To) {
    const uint32_t Target = Graph.type(To);
    Graph.Types[Graph.type(From)].Links.push_back(
        {Member, Offset, Target, true});
    return *this;
  }
  std::string way(const char *Type, const std::vector<std::string> &Anchors,
                  unsigned Most = 3,
                  const std::vector<std::string> &Skipped = {}) {
    std::vector<uint32_t> Rows;
    for (const std::string &Name : Anchors)
      Rows.push_back(Graph.type(Name));
    const auto Paths = Graph.paths(Rows, Most, Skipped);
    const uint32_t Row = Graph.type(Type);
    if (Paths[Row].Anchor == NoType)
      return "none";
    std::string Out = Graph.Types[Paths[Row].Anchor].Name;
    for (const PathStep &Step : stepsOf(Paths, Row))
      Out += " " + Step.Member + "@" + std::to_string(Step.OffsetBytes);
    return Out;
  }
};

TEST(TypeGraph, FewestPointersWin) {
  GraphOf G;
  G.points("buffer", "page", 16, "page").points("page", "mapping", 24, "space");
  G.points("space", "host", 0, "inode").points("buffer", "owner", 64, "task");
  G.points("task", "file", 8, "file").points("file", "inode", 0, "inode");
  EXPECT_EQ(G.way("buffer", {"inode"}), "inode page@16 mapping@24 host@0");
  EXPECT_EQ(G.way("buffer", {"inode"}, 2), "none");
  G.points("buffer", "host", 72, "inode");
  EXPECT_EQ(G.way("buffer", {"inode"}), "inode host@72");
}

TEST(TypeGraph, WhatIsHeldCounts) {
  GraphOf G;
  G.holds("file", "f_path", 64, "path").points("path", "dentry", 8, "dentry");
  G.points("dentry", "d_inode", 48, "inode");
  G.holds("ext_inode", "vfs", 200, "inode");
  EXPECT_EQ(G.way("file", {"inode"}), "inode f_path.dentry@72 d_inode@48");
  EXPECT_EQ(G.way("ext_inode", {"inode"}), "inode");
  G.points("file", "f_inode", 32, "inode");
  EXPECT_EQ(G.way("file", {"inode"}), "inode f_inode@32");
}

TEST(TypeGraph, MembersOfUnnamedUnionsHaveNoPrefix) {
  GraphOf G;
  G.holds("buffer", "", 16, "(anonymous)");
  G.points("(anonymous)", "b_folio", 0, "folio");
  G.points("folio", "host", 0, "inode");
  EXPECT_EQ(G.way("buffer", {"inode"}), "inode b_folio@16 host@0");
}

TEST(TypeGraph, TheFirstAnchorWinsAmongEqualWays) {
  GraphOf G;
  G.points("both", "sk", 0, "sock").points("both", "i", 8, "inode");
  EXPECT_EQ(G.way("both", {"inode", "sock"}), "inode i@8");
  EXPECT_EQ(G.way("both", {"sock", "inode"}), "sock sk@0");
}

TEST(TypeGraph, APointerToTheAnchorLeavesNoLongerWay) {
  auto Ways = [](GraphOf &Of) {
    const auto Paths = Of.Graph.paths({Of.Graph.type("inode")}, 3, {});
    std::string Out;
    for (const PathStep &Step :
         Of.Graph.ways(Paths, Of.Graph.type("dentry"), 3, {}))
      Out += Step.Member + " ";
    return Out;
  };
  GraphOf Of;
  Of.points("dentry", "d_inode", 8, "inode").points("dentry", "d_sb", 16, "sb");
  Of.points("sb", "s_root", 0, "dentry").points("sb", "quota", 8, "inode");
  EXPECT_EQ(Ways(Of), "d_inode ");
  Of.points("dentry", "d_other", 8, "other"); // a union
  EXPECT_EQ(Ways(Of), "d_inode d_sb ");
}

TEST(TypeGraph, SkippedPointersAreNotFollowed) {
  GraphOf G;
  G.points("mm", "exe", 0, "file").points("file", "inode", 0, "inode");
  EXPECT_EQ(G.way("mm", {"inode"}), "inode exe@0 inode@0");
  EXPECT_EQ(G.way("mm", {"inode"}, 3, {"mm.exe"}), "none");
  EXPECT_EQ(G.way("mm", {"inode"}, 3, {"mm"}), "none");
  for (const char *Name : {"mm", "mm.exe", "file.inode"})
    EXPECT_TRUE(G.Graph.canSkip(Name)) << Name;
  for (const char *Name : {"", ".", "mm.", "mm.inode", "dentry", "exe"})
    EXPECT_FALSE(G.Graph.canSkip(Name)) << Name;
}

TEST(TypeGraph, PointersRightIntoAnAnchor) {
  GraphOf G;
  G.holds("inode", "pages", 8, "xarray").holds("inode", "lru", 64, "list_head");
  G.points("list_head", "next", 0, "list_head");
  G.points("node", "parent", 0, "node").points("node", "array", 16, "xarray");
  G.holds("node", "list", 32, "list_head");
  G.holds("clones", "a", 0, "buffer").holds("clones", "b", 64, "buffer");
  G.points("buffer", "prev", 8, "buffer").points("buffer", "next", 0, "buffer");
  auto Names = [&](const char *Type, bool ToHeld,
                   const std::vector<std::string> &Skipped = {}) {
    std::string Out;
    for (const PathStep &Step : G.Graph.inward(
             {G.Graph.type("inode")}, G.Graph.type(Type), ToHeld, Skipped))
      Out += Step.Member + " ";
    return Out;
  };
  EXPECT_EQ(Names("node", true), "array parent ");
  EXPECT_EQ(Names("node", false), "parent ");
  EXPECT_EQ(Names("node", true, {"node.array"}), "parent ");
  EXPECT_EQ(Names("node", true, {"node"}), "");
  EXPECT_EQ(Names("clones", true), "a.next b.next ");
}

TEST(PointedTag, IsThatOfARecord) {
  EXPECT_EQ(pointedTag("struct inode *"), "inode");
  EXPECT_EQ(pointedTag("const struct inode *"), "inode");
  EXPECT_EQ(pointedTag("struct inode *const"), "inode");
  EXPECT_EQ(pointedTag("union thing *"), "thing");
  EXPECT_EQ(pointedTag("struct inode **"), "");
  EXPECT_EQ(pointedTag("void *"), "");
  EXPECT_EQ(pointedTag("journal_t *"), "");
  EXPECT_EQ(pointedTag("struct inode *(*)(struct file *)"), "");
}

} // namespace
