// SPDX-License-Identifier: GPL-2.0-or-later
//
// The formula of the model against what it stands for: threads whose accesses
// are shuffled, and caches that lose a line when another one writes to it.

#include "hybrid/sharing/LineMeetings.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <map>
#include <random>

using namespace kst;

namespace {

struct Counted {
  double True = 0, False = 0;
};

/// Accesses one by one in an order by chance, on one line.
Counted shuffled(const std::vector<MeetingSlot> &Slots, unsigned Rounds) {
  struct One {
    const MeetingSlot *Of;
    bool Write;
  };
  std::vector<One> All;
  for (const MeetingSlot &S : Slots) {
    for (int I = 0; I < S.Reads; ++I)
      All.push_back({&S, false});
    for (int I = 0; I < S.Writes; ++I)
      All.push_back({&S, true});
  }
  std::mt19937 Chance(1);
  Counted Out;
  for (unsigned Round = 0; Round < Rounds; ++Round) {
    std::ranges::shuffle(All, Chance);
    /// What others wrote since the thread's last access: bits of the line.
    std::map<uint32_t, uint64_t> Lost;
    for (const One &Access : All) {
      const MeetingSlot &S = *Access.Of;
      const uint64_t Bits = ((uint64_t(1) << S.Bytes) - 1) << (S.Address % 64);
      uint64_t &Mine = Lost[S.Thread];
      if (Mine)
        (Mine & Bits ? Out.True : Out.False) += 1.0 / Rounds;
      Mine = 0;
      if (Access.Write)
        for (const MeetingSlot &Other : Slots)
          if (Other.Thread != S.Thread)
            Lost[Other.Thread] |= Bits;
    }
  }
  return Out;
}

Counted modelled(const std::vector<MeetingSlot> &Slots) {
  const Meetings Met = meetings(Slots, 64);
  Counted Out;
  for (const auto &[Place, Count] : Met.True)
    Out.True += Count;
  for (const auto &[Pair, Count] : Met.False)
    Out.False += Count;
  return Out;
}

MeetingSlot slot(uint32_t Thread, uint64_t Address, double Reads,
                 double Writes) {
  MeetingSlot S;
  S.Thread = Thread;
  S.Place = uint32_t(Address);
  S.Address = 640 + Address;
  S.Bytes = 4;
  S.Reads = Reads;
  S.Writes = Writes;
  return S;
}

} // namespace

TEST(LineMeetings, AgreesWithAShuffle) {
  const std::vector<std::vector<MeetingSlot>> Cases = {
      {slot(0, 0, 0, 500), slot(1, 4, 500, 0)},
      {slot(0, 0, 0, 20), slot(1, 4, 900, 0)},
      {slot(0, 0, 100, 300), slot(1, 0, 200, 100), slot(2, 8, 400, 0)},
      {slot(0, 0, 50, 50), slot(1, 4, 80, 20), slot(2, 8, 300, 7)},
  };
  for (const auto &Slots : Cases) {
    const Counted Want = shuffled(Slots, 200), Found = modelled(Slots);
    const double All = Want.True + Want.False;
    EXPECT_NEAR(Found.True, Want.True, 0.02 * All);
    EXPECT_NEAR(Found.False, Want.False, 0.02 * All);
  }
}

TEST(LineMeetings, NobodyMeets) {
  auto Apart = slot(1, 4, 100, 0);
  Apart.First = 2;
  Apart.Last = 3;
  // At other times, on other lines, by one thread, without a write.
  EXPECT_TRUE(meetings({slot(0, 0, 0, 100), Apart}, 64).False.empty());
  EXPECT_TRUE(
      meetings({slot(0, 0, 0, 100), slot(1, 64, 100, 0)}, 64).False.empty());
  EXPECT_TRUE(
      meetings({slot(0, 0, 0, 100), slot(0, 4, 100, 0)}, 64).False.empty());
  EXPECT_TRUE(
      meetings({slot(0, 0, 100, 0), slot(1, 4, 100, 0)}, 64).False.empty());
}

TEST(LineMeetings, WhatAThreadUsesTogetherItLosesAnyway) {
  // Both threads write both, under a lock, say.
  const Counted Both = modelled({slot(0, 0, 0, 100), slot(0, 4, 0, 100),
                                 slot(1, 0, 0, 100), slot(1, 4, 0, 100)});
  EXPECT_EQ(Both.False, 0);
  EXPECT_GT(Both.True, 0);
  // One of them does so half of the time.
  const Counted Half =
      modelled({slot(0, 0, 0, 100), slot(0, 4, 0, 50), slot(1, 4, 0, 100)});
  const Counted Never = modelled({slot(0, 0, 0, 100), slot(1, 4, 0, 100)});
  EXPECT_GT(Half.False, 0);
  EXPECT_LT(Half.False, Never.False);
}

TEST(LineMeetings, LongAccessesMeetOnEachLine) {
  MeetingSlot Long = slot(0, 0, 0, 10);
  Long.Bytes = 128;
  const Meetings Met =
      meetings({Long, slot(1, 60, 10, 0), slot(2, 124, 10, 0)}, 64);
  EXPECT_EQ(Met.True.size(), 2u);
  EXPECT_TRUE(Met.False.empty());
}
