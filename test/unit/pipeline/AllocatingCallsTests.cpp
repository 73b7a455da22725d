// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/AllocatingCalls.h"

#include <gtest/gtest.h>

#ifdef ALLOCATING_PROGRAM

using namespace kst;

namespace {

std::map<std::string, std::vector<AllocatingCall>>
callsFor(bool FromCache, const std::set<std::string> &Structs) {
  auto Image = KernelImage::open(ALLOCATING_PROGRAM);
  EXPECT_TRUE(bool(Image)) << llvm::toString(Image.takeError());
  auto Calls =
      allocatingCalls(*Image, {{"allocate", FromCache}, {"missing"}}, Structs);
  EXPECT_TRUE(bool(Calls)) << llvm::toString(Calls.takeError());
  return *Calls;
}

std::string callerOf(const AllocatingCall &Call) {
  auto Image = KernelImage::open(ALLOCATING_PROGRAM);
  EXPECT_TRUE(bool(Image)) << llvm::toString(Image.takeError());
  return Image->placesOf(Call.ReturnAddress - 1).back().Function;
}

TEST(AllocatingCalls, AreThoseWhoseResultPointsToTheStruct) {
  auto Calls = callsFor(false, {"point", "line", "holder", "nothing"});
  ASSERT_EQ(Calls.size(), 2u);
  ASSERT_EQ(Calls["point"].size(), 1u);
  const AllocatingCall &Point = Calls["point"][0];
  EXPECT_EQ(callerOf(Point), "stored");
  EXPECT_EQ(Point,
            (AllocatingCall{Point.ReturnAddress, 24, 24, /*FromCache=*/false}));
  // Its last array has any length.
  ASSERT_EQ(Calls["line"].size(), 1u);
  const AllocatingCall &Line = Calls["line"][0];
  EXPECT_EQ(callerOf(Line), "inlined");
  EXPECT_EQ(Line, (AllocatingCall{Line.ReturnAddress, 48, ~uint64_t(0),
                                  /*FromCache=*/false}));
}

TEST(AllocatingCalls, CachesMayAlign) {
  auto Calls = callsFor(true, {"point"});
  ASSERT_EQ(Calls["point"].size(), 1u);
  const AllocatingCall &Point = Calls["point"][0];
  EXPECT_EQ(Point,
            (AllocatingCall{Point.ReturnAddress, 24, 31, /*FromCache=*/true}));
}

TEST(AllocatingCalls, AResultMayBeTheBeginning) {
  auto Calls = callsFor(false, {"book"});
  ASSERT_EQ(Calls["book"].size(), 1u);
  const AllocatingCall &Book = Calls["book"][0];
  EXPECT_EQ(callerOf(Book), "begun");
  EXPECT_EQ(Book, (AllocatingCall{Book.ReturnAddress, 136, 136,
                                  /*FromCache=*/false}));
}

TEST(AllocatingCalls, NothingAskedNothingRead) {
  EXPECT_TRUE(callsFor(false, {}).empty());
}

} // namespace

#endif
