// SPDX-License-Identifier: GPL-2.0-or-later
//
// Policies of two tiers against what must hold of any of them.

#include "hybrid/contexts/TierBound.h"
#include "hybrid/contexts/TierRun.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace {

using namespace kst;

constexpr uint32_t Slices = 50;

/// All policies on one stream of pages, and the bound.
class Machine {
public:
  Machine(uint64_t FastPages, uint64_t ScanEvery) : FastPages(FastPages) {
    for (size_t P = 0; P < TierPolicies; ++P)
      Runs.emplace_back(TierPolicy(P), FastPages, ScanEvery, Pages);
  }
  TierPage begin(uint32_t Context = 0) {
    const TierPage Page = Pages.begin(Context);
    Bound.begin(Page, Slice);
    for (TierRun &Run : Runs)
      Run.begin(Page);
    return Page;
  }
  void end(TierPage Page) {
    for (TierRun &Run : Runs)
      Run.end(Page);
    Bound.end(Page, Slice);
    Pages.end(Page);
  }
  void access(TierPage Page) {
    Bound.access(Page, Slice);
    for (TierRun &Run : Runs)
      Run.access(Page);
  }
  void open(uint32_t Context) {
    Pages.open(Context);
    for (TierRun &Run : Runs)
      Run.open(Context);
  }
  void close(uint32_t Context) {
    Pages.close(Context);
    for (TierRun &Run : Runs)
      Run.close(Context);
  }
  const TierCounts &of(TierPolicy Policy) const {
    return Runs[size_t(Policy)].counts();
  }
  void check() const {
    for (double Ratio : {2.0, 8.0})
      for (double Copy : {0.0, 10.0, 500.0}) {
        const double Least = Bound.bound(FastPages, Ratio, Copy);
        const double AllFast = of(TierPolicy::AllFast).cost(Ratio, Copy);
        EXPECT_GE(Least, AllFast * (1 - 1e-9));
        for (const TierRun &Run : Runs) {
          EXPECT_GE(Run.counts().cost(Ratio, Copy), AllFast);
          if (Run.policy() != TierPolicy::AllFast) {
            EXPECT_GE(Run.counts().cost(Ratio, Copy), Least * (1 - 1e-9))
                << spelling(Run.policy());
            EXPECT_LE(Run.used(), FastPages);
          }
        }
      }
    EXPECT_EQ(of(TierPolicy::Naive).Up + of(TierPolicy::Naive).Down, 0u);
  }
  uint32_t Slice = 0;
  TierPages Pages;
  TierBound Bound{Slices};

private:
  const uint64_t FastPages;
  std::deque<TierRun> Runs;
};

TEST(Tiers, WithoutChurnNaiveHasTheShareOfRoom) {
  for (uint64_t Room : {10, 50, 100, 150}) {
    Machine M(Room, 100);
    std::vector<TierPage> All;
    for (int I = 0; I < 100; ++I)
      All.push_back(M.begin());
    for (uint32_t Round = 0; Round < Slices; ++Round) {
      M.Slice = Round;
      for (TierPage Page : All)
        M.access(Page);
    }
    EXPECT_DOUBLE_EQ(M.of(TierPolicy::Naive).fastShare(),
                     std::min(1.0, double(Room) / 100));
    EXPECT_EQ(M.of(TierPolicy::AllSlow).fastShare(), 0);
    EXPECT_EQ(M.of(TierPolicy::AllFast).fastShare(), 1);
    M.check();
  }
}

TEST(Tiers, NoPolicyBeatsTheBoundOnStreamsByChance) {
  for (unsigned Seed = 1; Seed <= 20; ++Seed) {
    std::mt19937_64 Chance(Seed);
    auto Below = [&](uint64_t N) { return Chance() % N; };
    Machine M(1 + Below(30), 20 + Below(100));
    std::vector<std::pair<TierPage, uint32_t>> Live;
    std::vector<bool> Open(10, true);
    for (unsigned Step = 0; Step < 5000; ++Step) {
      M.Slice = Step * Slices / 5000;
      const uint32_t Context = uint32_t(Below(9));
      switch (Below(20)) {
      case 0:
        Live.push_back({M.begin(Context), Context});
        break;
      case 1:
        if (!Live.empty()) {
          const size_t I = Below(Live.size());
          M.end(Live[I].first);
          Live[I] = Live.back();
          Live.pop_back();
        }
        break;
      case 2:
        if (Context) {
          Open[Context] ? M.close(Context) : M.open(Context);
          Open[Context] = !Open[Context];
        }
        break;
      default:
        if (!Live.empty())
          M.access(
              Live[std::min(Below(Live.size()), Below(Live.size()))].first);
      }
    }
    M.check();
  }
}

TEST(Tiers, TheBoundIsReachedWhereItMustBe) {
  Machine M(1, 10);
  const TierPage Hot = M.begin(), Cold = M.begin();
  for (M.Slice = 0; M.Slice < 10; ++M.Slice) {
    for (int I = 0; I < 100; ++I)
      M.access(Hot);
    M.access(Cold);
  }
  // The hot page is fast, the other is served where it is: no copy pays.
  EXPECT_LE(M.Bound.bound(1, 4, 1000), 1000 + 40);
  EXPECT_GE(M.Bound.bound(1, 4, 1000), 1000 + 30);
  M.check();
}

/// Files one after another: each is opened, filled, read and closed; a share of
/// the openings is of files that were closed before.
TierCounts files(TierPolicy Policy, double Reopened) {
  constexpr uint32_t Pages = 8;
  Machine M(24, 64);
  std::mt19937_64 Chance(3);
  std::vector<std::vector<TierPage>> Known;
  for (uint32_t Round = 0; Round < 2000; ++Round) {
    M.Slice = Round * Slices / 2000;
    const bool Again =
        Known.size() > 1 && double(Chance() % 1000) < 1000 * Reopened;
    // What was used last is used again.
    const uint32_t File =
        Again ? uint32_t(Known.size() - 2) : uint32_t(Known.size());
    M.open(File + 1);
    if (!Again) {
      Known.emplace_back();
      for (uint32_t I = 0; I < Pages; ++I)
        Known[File].push_back(M.begin(File + 1));
    }
    for (int Times = 0; Times < 20; ++Times)
      for (TierPage Page : Known[File])
        M.access(Page);
    M.close(File + 1);
  }
  M.check();
  return M.of(Policy);
}

TEST(Tiers, ContextsWinWhereFilesAreClosedForGood) {
  EXPECT_GT(files(TierPolicy::Pressure, 0).fastShare(),
            files(TierPolicy::Naive, 0).fastShare() + 0.3);
  EXPECT_GT(files(TierPolicy::Eager, 0).fastShare(),
            files(TierPolicy::Naive, 0).fastShare() + 0.3);
}

TEST(Tiers, EagerContextsLoseWhereFilesAreOpenedAgain) {
  const TierCounts Eager = files(TierPolicy::Eager, 0.95),
                   Pressure = files(TierPolicy::Pressure, 0.95);
  EXPECT_GT(Eager.cost(4, 320), 1.2 * Pressure.cost(4, 320));
  EXPECT_GT(Eager.Up + Eager.Down, 10 * (Pressure.Up + Pressure.Down));
}

TEST(Tiers, UnderPressureTheOneThatIsClosedLongestGoesFirst) {
  Machine M(4, 100);
  auto Counts = [&] { return M.of(TierPolicy::Pressure); };
  const TierPage A = M.begin(1), A2 = M.begin(1), B = M.begin(2);
  M.begin(3);
  M.close(1);
  M.close(2);
  M.open(1);
  M.close(1); // 2 is closed longer than 1 now
  M.begin(3);
  EXPECT_EQ(Counts().Down, 1u);
  M.access(B);
  EXPECT_EQ(Counts().Slow, 1u);
  M.begin(3);
  EXPECT_EQ(Counts().Down, 3u);
  M.access(A);
  M.access(A2);
  EXPECT_EQ(Counts().Slow, 3u);
  M.check();
}

TEST(Tiers, AContextMakesNoRoomForItselfAndKeepsItsTurn) {
  Machine M(2, 100);
  M.begin(1);
  M.begin(1);
  M.close(1);
  const TierPage Late = M.begin(1);
  M.access(Late);
  EXPECT_EQ(M.of(TierPolicy::Pressure).Slow, 1u);
  EXPECT_EQ(M.of(TierPolicy::Pressure).Down, 0u);
  M.access(M.begin(2));
  EXPECT_EQ(M.of(TierPolicy::Pressure).Down, 2u);
  EXPECT_EQ(M.of(TierPolicy::Pressure).Fast, 1u);
}

TEST(Tiers, WithoutContextsThereIsNoGain) {
  Machine M(10, 50);
  std::vector<TierPage> All;
  for (int I = 0; I < 40; ++I)
    All.push_back(M.begin());
  for (uint32_t Round = 0; Round < Slices; ++Round) {
    M.Slice = Round;
    for (TierPage Page : All)
      M.access(Page);
  }
  EXPECT_EQ(M.of(TierPolicy::Pressure).Fast, M.of(TierPolicy::Naive).Fast);
  EXPECT_EQ(M.of(TierPolicy::Eager).Fast, M.of(TierPolicy::Naive).Fast);
}

TEST(Tiers, WhatEndsNeverMigrates) {
  Machine M(4, 8);
  for (uint32_t Round = 0; Round < 200; ++Round) {
    const TierPage Page = M.begin(1);
    M.access(Page);
    M.end(Page);
    M.close(1);
    M.open(1);
  }
  for (size_t P = 0; P < TierPolicies; ++P)
    EXPECT_EQ(M.of(TierPolicy(P)).Up + M.of(TierPolicy(P)).Down, 0u)
        << spelling(TierPolicy(P));
}

} // namespace
