// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is known without a reference: closed forms, and one smallest story for
// each class.

#include "hybrid/cache/CacheModel.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

CacheModel model(const char *Geometry, CacheOptions Options) {
  Result<CacheGeometry> G = parseCacheGeometry(Geometry);
  EXPECT_TRUE(bool(G)) << G.error();
  return CacheModel(*G, Options);
}

struct Story {
  explicit Story(const char *Geometry, ClassRule Rule = ClassRule::AtMiss)
      : Model(model(Geometry, {2, true, Crossing::PerLine, Rule})) {}
  /// Of the first level that is asked.
  MissClass load(unsigned Cpu, uint64_t Address) {
    return at(Cpu, Address, AccessKind::Load).Class[0];
  }
  MissClass store(unsigned Cpu, uint64_t Address) {
    return at(Cpu, Address, AccessKind::Store).Class[0];
  }
  AccessOutcome at(unsigned Cpu, uint64_t Address, AccessKind Kind) {
    return Model.access({Address, 8, uint16_t(Cpu), Kind});
  }
  uint64_t count(MissClass Class) {
    return Model.total().Missed[0][size_t(Class)];
  }
  CacheModel Model;
};

const char *const Small = "l1=1K/2,line=64"; // 8 sets

TEST(MissClass, FirstTouches) {
  Story S(Small);
  EXPECT_EQ(S.store(0, 0), MissClass::Cold);
  EXPECT_EQ(S.load(0, 8), MissClass::None);
  EXPECT_EQ(S.load(1, 8), MissClass::ColdForeign);
  EXPECT_EQ(S.load(0, 64), MissClass::Cold);
  EXPECT_EQ(S.load(1, 64), MissClass::ColdClean);
}

TEST(MissClass, WrittenBytesMakeSharingTrue) {
  for (uint64_t Read : {0, 8}) {
    Story S(Small);
    S.load(1, Read);
    S.store(0, 0);
    EXPECT_EQ(S.load(1, Read),
              Read ? MissClass::FalseSharing : MissClass::TrueSharing);
    EXPECT_EQ(S.load(1, Read), MissClass::None);
  }
}

TEST(MissClass, BytesWrittenLaterInTheSameTenureCount) {
  Story S(Small);
  S.load(1, 16);
  S.store(0, 0);
  S.store(0, 16); // CPU 0 owns the line: a hit
  EXPECT_EQ(S.load(1, 16), MissClass::TrueSharing);
}

TEST(MissClass, WhatWasReadAgainIsNotNewTwice) {
  Story S(Small);
  S.load(1, 0);
  S.store(0, 0);
  EXPECT_EQ(S.load(1, 0), MissClass::TrueSharing);
  S.store(0, 8);
  EXPECT_EQ(S.load(1, 0), MissClass::FalseSharing);
}

TEST(MissClass, LifetimeLooksAtLaterAccesses) {
  for (ClassRule Rule : {ClassRule::AtMiss, ClassRule::Lifetime}) {
    Story S(Small, Rule);
    S.load(1, 8);
    S.store(0, 0);
    EXPECT_EQ(S.load(1, 8), MissClass::FalseSharing);
    AccessOutcome Later = S.at(1, 0, AccessKind::Load);
    const bool Turns = Rule == ClassRule::Lifetime;
    EXPECT_EQ(Later.TurnedTrue, Turns ? 1 : 0);
    EXPECT_EQ(S.count(MissClass::TrueSharing), Turns ? 1u : 0u);
    EXPECT_EQ(S.count(MissClass::FalseSharing), Turns ? 0u : 1u);
    EXPECT_EQ(S.at(1, 0, AccessKind::Load).TurnedTrue, 0); // only once
  }
}

TEST(MissClass, LifetimeEndsWithTheLoss) {
  Story S(Small, ClassRule::Lifetime);
  S.load(1, 8);
  S.store(0, 0);
  S.load(1, 8);   // false; byte 0 is not looked at
  S.store(0, 16); // and now it is too late
  EXPECT_EQ(S.load(1, 0), MissClass::FalseSharing);
  EXPECT_EQ(S.count(MissClass::FalseSharing), 2u);
}

TEST(MissClass, ReplacedIsNotShared) {
  Story S(Small);
  S.load(1, 0);
  S.store(0, 0);
  // Two more lines of the set: the line would be gone anyhow.
  S.load(1, 512);
  S.load(1, 1024);
  EXPECT_EQ(S.load(1, 0), MissClass::Conflict);
}

TEST(MissClass, NobodyHadAskedTheSecondLevel) {
  Story S("l1=128/2,l2=128/2,line=64");
  for (uint64_t Line : {0, 1, 0, 2, 0}) // L2 replaces line 0, L1 keeps it
    S.load(1, Line * 64);
  S.store(0, 0);
  AccessOutcome Out = S.at(1, 0, AccessKind::Load);
  EXPECT_EQ(Out.Class[0], MissClass::TrueSharing);
  EXPECT_EQ(Out.Class[1], MissClass::TrueSharing);
}

TEST(MissClass, ConflictsGoWithTheSets) {
  for (const char *Geometry : {"l1=1K/1,line=64", "l1=1K/full,line=64"}) {
    Story S(Geometry);
    for (unsigned Round = 0; Round < 10; ++Round)
      for (uint64_t Line : {0, 16, 32})
        S.load(0, Line * 64);
    const bool DirectMapped = Geometry[6] == '1';
    EXPECT_EQ(S.count(MissClass::Conflict), DirectMapped ? 27u : 0u);
    EXPECT_EQ(S.count(MissClass::Capacity), 0u);
    EXPECT_EQ(S.count(MissClass::Cold), 3u);
  }
}

TEST(MissClass, SetsMayKeepWhatLruWouldNot) {
  Story S("l1=128/1,line=64"); // 2 sets
  for (uint64_t Line : {0, 1, 3, 0})
    S.load(0, Line * 64);
  EXPECT_EQ(S.Model.total().AntiConflicts[0], 1u);
}

TEST(MissClass, UpgradesAreNoMisses) {
  Story S(Small);
  S.load(0, 0);
  EXPECT_FALSE(S.at(0, 0, AccessKind::Store).Upgrade); // exclusive
  S.load(1, 0);
  AccessOutcome Out = S.at(1, 0, AccessKind::Store);
  EXPECT_TRUE(Out.Upgrade);
  EXPECT_EQ(Out.From, ServedBy::L1);
  EXPECT_FALSE(S.at(1, 0, AccessKind::Store).Upgrade);
}

TEST(ClosedForm, ColdMissesAreDifferentLines) {
  Story S("l1=4K/4,l2=16K/4,llc=64K/4,line=64");
  for (unsigned Round = 0; Round < 3; ++Round)
    for (uint64_t Line = 0; Line < 2000; ++Line)
      S.load(0, Line * 7 % 1999 * 64);
  for (const auto &OfLevel : S.Model.total().Missed)
    EXPECT_EQ(OfLevel[size_t(MissClass::Cold)], 1999u);
}

TEST(ClosedForm, SweepBeyondCapacityAlwaysMisses) {
  for (uint64_t Lines : {64, 65, 80, 200}) {
    Story S("l1=4K/full,line=64"); // 64 lines
    for (unsigned Round = 0; Round < 10; ++Round)
      for (uint64_t Line = 0; Line < Lines; ++Line)
        S.load(0, Line * 64);
    const uint64_t Missed = Lines > 64 ? 10 * Lines : Lines;
    EXPECT_EQ(S.Model.total().misses(CacheLevel::L1), Missed);
    EXPECT_EQ(S.count(MissClass::Capacity), Missed - Lines);
    EXPECT_EQ(S.count(MissClass::Conflict), 0u);
  }
}

// A memory-side cache: pages in place of lines, direct mapped. Sweeps of w
// times its size over contiguous pages hit (2 - w) / w of the pages, for w up
// to 2.
TEST(ClosedForm, DirectMappedPages) {
  const uint64_t Pages = 1000; // not 2^n
  for (uint64_t Sweep : {900, 1000, 1100, 1250, 1500, 1750, 1999, 2000, 2500}) {
    CacheModel M = model("llc=4000K/1,line=4096", {});
    ASSERT_EQ(M.Geometry[CacheLevel::Llc].Sets, Pages);
    uint64_t Before = 0;
    const unsigned Rounds = 5;
    for (unsigned Round = 0; Round <= Rounds; ++Round) {
      for (uint64_t Page = 0; Page < Sweep; ++Page)
        M.access({Page * 4096 + 64 * Round, 8, 0, AccessKind::Load});
      if (!Round) // warm now
        Before = M.total().misses(CacheLevel::Llc);
    }
    const uint64_t Hits =
        Rounds * Sweep - (M.total().misses(CacheLevel::Llc) - Before);
    EXPECT_EQ(Hits, Rounds * (Sweep <= Pages       ? Sweep
                              : Sweep <= 2 * Pages ? 2 * Pages - Sweep
                                                   : 0));
  }
}

TEST(Crossing, OneMissOrOneForEachLine) {
  for (Crossing Lines : {Crossing::PerLine, Crossing::Together}) {
    CacheModel M = model("l1=1K/2,llc=4K/2,line=64", {1, true, Lines});
    M.access({60, 8, 0, AccessKind::Load});
    const uint64_t Misses = Lines == Crossing::PerLine ? 2 : 1;
    EXPECT_EQ(M.total().misses(CacheLevel::L1), Misses);
    EXPECT_EQ(M.total().accesses(), Misses);
    M.access({60, 8, 0, AccessKind::Load});
    EXPECT_EQ(M.total().misses(CacheLevel::L1), Misses);
    M.access({~uint64_t(0) - 3, 8, 0, AccessKind::Load}); // memory ends here
  }
}

} // namespace
