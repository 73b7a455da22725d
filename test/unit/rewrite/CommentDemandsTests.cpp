// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/CommentDemands.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

/// "first!" for a firm demand, "first" for a vague one; several by blanks.
std::string demanded(const std::string &Comment) {
  static const char *Words[] = {"first",    "last",    "stay",  "order",
                                "together", "follows", "layout"};
  std::string Text;
  for (const CommentDemand &D :
       demandsOf(Comment, {"head_ptr", "tail", "count", "wait"}, "my_ring"))
    Text += (Text.empty() ? "" : " ") +
            std::string(Words[static_cast<size_t>(D.What)]) +
            (D.Firm ? "!" : "");
  return Text;
}

struct Row {
  const char *Comment, *Demands;
};

class CommentDemands : public testing::TestWithParam<Row> {};

TEST_P(CommentDemands, AreKnownByTheirWords) {
  EXPECT_EQ(demanded(GetParam().Comment), GetParam().Demands)
      << GetParam().Comment;
}

INSTANTIATE_TEST_SUITE_P(
    Demand, CommentDemands,
    testing::Values(
        Row{"/* These two must be first to match list_start. */", "first!"},
        Row{"/* MUST BE LAST! */", "last!"},
        Row{"/* struct link has to be the first member of my_ring */",
            "first!"},
        Row{"/* keep last */", "last"},
        Row{"/* should always be first [for casting] */", "first"},
        Row{"/* needs to be at the end, its size is not known here */",
            "last!"},
        Row{"/*\n * This *must* be kept at the very end\n * of the ring.\n */",
            "last!"},
        Row{"/* the rest should be last. See copy_ring() */", "last"},
        Row{"/* must be at offset 0 */", "first!"},
        Row{"/* Must be near the top */", "first!"},
        Row{"/* Don't put anything below here! */", "last!"},
        Row{"/* do not move this, the loader depends on it */", "stay!"},
        Row{"/* Don't move: see entry.S */", "stay!"},
        Row{"/* this must not be moved */", "stay!"},
        Row{"/* Never change the offset of this */", "stay!"},
        Row{"/* Do not reorder! */", "order!"},
        Row{"/* don't reorder these fields */", "order!"},
        Row{"/* The order of these fields matters */", "order!"},
        Row{"/* order is important */", "order!"},
        Row{"/* fields must not be reordered */", "order!"},
        Row{"/* Do not change the order of the members */", "order!"},
        Row{"/* New fields at the end only. Add new fields at the end */",
            "order"},
        Row{"/* code elsewhere relies on the order of the fields */", "order"},
        Row{"/* keep these together */", "together"},
        Row{"/* must be adjacent */", "together!"},
        Row{"/* keep on its own cacheline */", "together"},
        Row{"/* hot cache line */", "together"},
        Row{"/* read-mostly cacheline */", "together"},
        Row{"/* Keep next to 'tail' */", "together"},
        Row{"/* placed here to avoid false sharing */", "together"},
        Row{"/* must immediately follow head_ptr */", "follows!"},
        Row{"/* must follow tail for the copy */", "follows!"},
        Row{"/* same layout as struct other_ring */", "layout"},
        Row{"/* must match struct other_ring */", "layout!"},
        Row{"/* Keep in sync with the layout in other.h */", "layout!"},
        Row{"/* mirrors struct old_ring */", "layout"},
        Row{"/* layout is known to assembly code */", "order!"},
        Row{"/* offset used by entry.S */", "layout"},
        Row{"/* shared with user space */", "layout"},
        Row{"/* shared between kernel and firmware */", "layout"},
        Row{"/* hardware-defined layout */", "layout"},
        Row{"/* this is part of the ABI */", "layout!"},
        Row{"/* If this is altered, struct twin must change too! */",
            "layout!"}));

INSTANTIATE_TEST_SUITE_P(
    None, CommentDemands,
    testing::Values(
        Row{"/* first packet of the window */", ""},
        Row{"/* time of the last update */", ""},
        Row{"/* protected by lock, which must be held */", ""},
        Row{"/* must be held by the first caller */", ""},
        Row{"/* lock must be taken first by the writer's helper */", ""},
        Row{"/* last old data flush */", ""},
        Row{"/* must be called last by drivers */", ""},
        Row{"/* points to the first member of a list of rings */", ""},
        Row{"/* must be a power of two */", ""},
        Row{"/* should be at least two */", ""},
        Row{"/* offset of the first byte */", ""},
        Row{"/* in network byte order, must match the request */", ""},
        Row{"/* host byte order */", ""}, Row{"/* in order to clean up */", ""},
        Row{"/* order a direct compactor needs */", ""},
        Row{"/* page order must be known */", ""},
        Row{"/* index must match the array */", ""},
        Row{"/* fields to match against */", ""},
        Row{"/* physically contiguous, must be contiguous pages */", ""},
        Row{"/* links to adjacent ranges */", ""},
        Row{"/* hardware address */", ""}, Row{"/* firmware version */", ""},
        Row{"/* DMA address of the buffer */", ""},
        Row{"/* passed to user space */", ""},
        Row{"/* must follow the rules below */", ""},
        Row{"/* cache line size */", ""},
        Row{"/* the hot path reads this */", ""},
        Row{"/* do not move the pages while this is set */", ""},
        Row{"/* packets must not be reordered */", ""},
        Row{"/* used by asm-generic helpers' callers */", ""},
        Row{"/* keep the last value */", ""},
        Row{"/* keep track of the first error */", ""},
        Row{"/* number of keys that must match the table */", ""}));

TEST(CommentDemands, SaysWhichMembers) {
  std::vector<std::string> Fields = {"head_ptr", "tail", "count", "wait"};
  auto One = [&](const char *Comment) {
    auto All = demandsOf(Comment, Fields, "my_ring");
    EXPECT_EQ(All.size(), 1u) << Comment;
    return All.empty() ? CommentDemand() : All.front();
  };
  EXPECT_EQ(One("/* these two must be first */").Count, 2u);
  EXPECT_EQ(One("/* The following 3 fields must be first */").Count, 3u);
  EXPECT_EQ(One("/* both must be last */").Count, 2u);
  EXPECT_EQ(One("/* these must be first */").Count, CommentDemand::Several);
  EXPECT_EQ(One("/* must be first */").Count, 0u);
  EXPECT_EQ(One("/* 'tail' must be last, after @count */").Fields,
            (std::vector<std::string>{"tail", "count"}));
  EXPECT_TRUE(One("/* do not change the layout of this struct */").Whole);
  EXPECT_TRUE(One("/* The above should share a single cache line */").Above);
  EXPECT_EQ(
      One("/*\n * Bla.\n * This must\n * be first, of course.\n */").Words,
      "This must be first, of course.");
}

} // namespace
