// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/PageZone.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace kst;

namespace {

constexpr unsigned Largest = PageOrders - 1;

PageZone freeZone(uint32_t Frames, ColourLists Colours = {}) {
  PageZone Out({0, Frames, 9}, Colours);
  for (uint32_t I = 0; I < Frames; I += 1u << Largest)
    Out.append(I, Largest, Movable);
  return Out;
}

TEST(PageZone, SplitsTheFirstBlockAndHandsOutItsPartsInOrder) {
  PageZone Zone = freeZone(2048);
  EXPECT_EQ(Zone.take(0, Movable, false), 0u);
  EXPECT_EQ(Zone.take(0, Movable, false), 1u);
  EXPECT_EQ(Zone.take(1, Movable, false), 2u);
  EXPECT_EQ(Zone.take(0, Movable, false), 4u);
  EXPECT_EQ(Zone.take(3, Movable, false), 8u);
  EXPECT_EQ(Zone.freePages(), 2048u - 1 - 1 - 2 - 1 - 8);
}

TEST(PageZone, FreedBuddiesMergeUpToTheLargestBlock) {
  PageZone Zone = freeZone(1024);
  for (uint32_t I = 0; I < 1024; ++I)
    ASSERT_EQ(Zone.take(0, Movable, false), I);
  EXPECT_EQ(Zone.take(0, Movable, false), NoFrame);
  for (uint32_t I = 0; I < 1024; ++I)
    Zone.free((I * 357) % 1024, 0); // any order: 357 is odd
  EXPECT_EQ(Zone.freePages(Largest), 1024u);
}

TEST(PageZone, ABlockBesideAFreeLargerBuddyGoesToTheTail) {
  // Pages 0 to 7 in use, but for what is freed.
  PageZone Zone({0, 1024, 9});
  for (uint32_t Page : {4u, 6u}) // not buddies of each other
    Zone.free(Page, 0);
  EXPECT_EQ(Zone.take(0, Movable, false), 6u); // the last that was freed
  Zone.free(6, 0);
  Zone.free(2, 1); // 2, 3
  Zone.free(0, 0); // its buddy's pair 2, 3 is free: 0 will merge soon
  EXPECT_EQ(Zone.take(0, Movable, false), 6u);
  EXPECT_EQ(Zone.take(0, Movable, false), 4u);
  EXPECT_EQ(Zone.take(0, Movable, false), 0u);
}

TEST(PageZone, AnotherTypeClaimsTheLargestBlockOfMovablePages) {
  PageZone Zone = freeZone(2048);
  EXPECT_EQ(Zone.take(0, Unmovable, false), 0u);
  EXPECT_EQ(Zone.blockType(0), Unmovable);
  EXPECT_EQ(Zone.blockType(512), Unmovable); // all of the block of order 10
  EXPECT_EQ(Zone.blockType(1024), Movable);
  EXPECT_EQ(Zone.take(0, Movable, false), 1024u);
}

TEST(PageZone, AMovablePageIsStolenFromAPageblockThatKeepsItsType) {
  PageZone Zone({0, 1024, 9});
  Zone.setBlockType(0, Unmovable);
  Zone.free(8, 0);
  Zone.free(16, 1);
  EXPECT_EQ(Zone.take(0, Movable, true), NoFrame);
  EXPECT_EQ(Zone.take(0, Movable, false), 8u); // the smallest that serves
  EXPECT_EQ(Zone.blockType(8), Unmovable);
}

TEST(PageZone, AHalfFreePageblockIsClaimedByUnmovablePages) {
  PageZone Zone({0, 1024, 9});
  for (uint32_t I = 0; I < 256; I += 2)
    Zone.free(I, 0);
  // 128 free, 384 used and not movable: the rest is alike.
  EXPECT_NE(Zone.take(0, Unmovable, false), NoFrame);
  EXPECT_EQ(Zone.blockType(0), Unmovable);
  PageZone Other({0, 1024, 9});
  Other.use(0, 9, Movable); // 512 movable pages in use
  for (uint32_t I = 0; I < 200; I += 2)
    Other.free(I, 0);
  EXPECT_NE(Other.take(0, Unmovable, false), NoFrame); // stolen
  EXPECT_EQ(Other.blockType(0), Movable);
}

TEST(PageZone, TakesExactlyTheBlockThatIsAskedFor) {
  PageZone Zone = freeZone(1024);
  EXPECT_TRUE(Zone.takeExactly(500, 2));
  EXPECT_FALSE(Zone.takeExactly(500, 0));
  EXPECT_FALSE(Zone.takeExactly(496, 4));
  EXPECT_EQ(Zone.freePages(), 1020u);
  Zone.free(500, 2);
  EXPECT_EQ(Zone.freePages(Largest), 1024u);
}

TEST(PageZone, TakesTheColourThatIsAskedForAtEveryOrder) {
  const ColourLists Colours{2048, 0};
  PageZone Zone = freeZone(8192, Colours);
  std::mt19937 Random(3);
  std::set<uint32_t> Given;
  for (unsigned I = 0; I < 2048; ++I) {
    const unsigned Order = Random() % 3;
    const uint32_t Colour = (Random() % 2048) & ~((1u << Order) - 1);
    const uint32_t Frame = Zone.takeColour(Order, Movable, Colour);
    if (Frame == NoFrame)
      continue;
    EXPECT_EQ(Frame % 2048, Colour);
    for (uint32_t Page = 0; Page < 1u << Order; ++Page)
      EXPECT_TRUE(Given.insert(Frame + Page).second);
  }
  EXPECT_EQ(Zone.freePages(), 8192 - Given.size());
}

TEST(PageZone, AColourHasAsManyPagesAsMemoryHolds) {
  PageZone Zone = freeZone(4096, {1024, 0});
  std::set<uint32_t> Given;
  for (unsigned I = 0; I < 4; ++I)
    Given.insert(Zone.takeColour(0, Movable, 77));
  EXPECT_EQ(Given, (std::set<uint32_t>{77, 1101, 2125, 3149}));
  EXPECT_EQ(Zone.takeColour(0, Movable, 77), NoFrame);
}

TEST(PageZone, RandomUseNeverHandsOutAPageTwice) {
  PageZone Zone = freeZone(4096);
  std::mt19937 Random(5);
  std::vector<std::pair<uint32_t, unsigned>> Live;
  std::set<uint32_t> Used;
  for (unsigned Step = 0; Step < 20000; ++Step) {
    if (Random() % 2) {
      const unsigned Order = Random() % 5;
      const uint32_t Frame = Zone.take(Order, Random() % 3, Random() % 2);
      if (Frame == NoFrame)
        continue;
      ASSERT_EQ(Frame % (1u << Order), 0u);
      Zone.use(Frame, Order, Movable);
      Live.push_back({Frame, Order});
      for (uint32_t I = 0; I < 1u << Order; ++I)
        ASSERT_TRUE(Used.insert(Frame + I).second);
    } else if (!Live.empty()) {
      std::swap(Live[Random() % Live.size()], Live.back());
      auto [Frame, Order] = Live.back();
      Live.pop_back();
      for (uint32_t I = 0; I < 1u << Order; ++I)
        Used.erase(Frame + I);
      Zone.free(Frame, Order);
    }
    ASSERT_EQ(Zone.freePages() + Used.size(), 4096u);
  }
  for (auto [Frame, Order] : Live)
    Zone.free(Frame, Order);
  EXPECT_EQ(Zone.freePages(Largest), 4096u);
}

TEST(PageZone, ShuffleKeepsTheBlocksAndChangesTheirOrder) {
  PageZone Zone = freeZone(64 << 10);
  std::mt19937_64 Random(9);
  Zone.shuffle([&] { return Random(); });
  std::set<uint32_t> Given;
  unsigned Ascending = 0;
  uint32_t Before = 0;
  for (unsigned I = 0; I < 64; ++I) {
    const uint32_t Frame = Zone.take(Largest, Movable, false);
    Ascending += Frame > Before;
    Before = Frame;
    Given.insert(Frame);
  }
  EXPECT_EQ(Given.size(), 64u);
  EXPECT_LT(Ascending, 50u);
}

} // namespace
