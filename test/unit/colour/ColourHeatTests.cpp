// SPDX-License-Identifier: GPL-2.0-or-later

#include "../trace/SmallTrace.h"

#include "hybrid/colour/ColourHeat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace kst;

namespace {

constexpr uint64_t DirectMap = 0xffff888000000000, Page = 4096;

TraceEvent access(uint64_t Physical, uint32_t Bytes = 8) {
  TraceEvent E;
  E.Kind = EventKind::Access;
  E.Access = AccessLoad;
  E.Address = DirectMap + Physical;
  E.SizeBytes = Bytes;
  return E;
}

/// One site of no struct, two allocators.
TraceTables tables() {
  ProfileBuilder Make;
  const uint32_t Ring = Make.structure("ring", 64);
  MeasuredSite Site;
  Site.Function = Make.text("walk");
  Site.File = Make.text("walk.c");
  Make.site(Site);
  TraceTables Out;
  Out.About = *Make.finish();
  Out.Allocators = {{"ring", Ring, 64}, {"kmalloc-96", NoStruct, 96}};
  return Out;
}

TraceEvent object(uint64_t Physical, uint32_t Allocator, uint32_t Bytes) {
  return kst_test::EventOf{.Kind = EventKind::Alloc,
                           .Address = DirectMap + Physical,
                           .SizeBytes = Bytes,
                           .Info = Allocator};
}

Result<ColourHeat> heat(std::vector<TraceEvent> Events, const char *Cache,
                        uint64_t WindowLines = 0) {
  for (size_t I = 0; I < Events.size(); ++I)
    Events[I].Time = I;
  const std::string Bytes = kst_test::traceBytes(tables(), Events);
  auto Trace = TraceReader::open(Bytes);
  if (!Trace)
    return Failure{Trace.error()};
  HeatOptions Options;
  Options.Cache = *parseMemoryCache(Cache, 64);
  Options.WindowLines = WindowLines;
  return colourHeat(*Trace, Options);
}

/// What the tool has to say of accesses to single lines, counted anew.
struct Naive {
  std::map<uint64_t, uint64_t> Excess, Heat, Conflicts; ///< by set
  uint64_t Misses = 0, Crowded = 0;

  Naive(const std::vector<uint64_t> &Lines, uint64_t Sets, size_t Ways) {
    std::map<uint64_t, std::map<uint64_t, uint64_t>> Window;
    std::set<uint64_t> InWindow, Ever;
    auto End = [&] {
      for (auto &[Set, Uses] : Window)
        if (Uses.size() > Ways) {
          Excess[Set] += Uses.size() - Ways;
          std::multiset<uint64_t> Numbers;
          for (auto &[Line, Number] : Uses)
            Numbers.insert(Number);
          for (uint64_t Number : Numbers)
            Crowded += Number;
          for (size_t I = 0; I < Ways; ++I)
            Numbers.erase(std::prev(Numbers.end()));
          for (uint64_t Number : Numbers)
            Heat[Set] += Number;
        }
      Window.clear();
      InWindow.clear();
    };
    std::map<uint64_t, std::vector<uint64_t>> SetOf; ///< the latest in front
    std::vector<uint64_t> Anywhere;
    auto Touch = [](std::vector<uint64_t> &In, uint64_t Line, size_t Room) {
      auto At = std::find(In.begin(), In.end(), Line);
      const bool Hit = At != In.end();
      if (Hit)
        In.erase(At);
      In.insert(In.begin(), Line);
      if (In.size() > Room)
        In.pop_back();
      return Hit;
    };
    for (uint64_t Line : Lines) {
      if (!InWindow.contains(Line) && InWindow.size() == Sets * Ways)
        End();
      InWindow.insert(Line);
      ++Window[Line % Sets][Line];
      const bool Hit = Touch(SetOf[Line % Sets], Line, Ways),
                 HitAnywhere = Touch(Anywhere, Line, Sets * Ways);
      Misses += !Hit;
      Conflicts[Line % Sets] += !Hit && HitAnywhere;
    }
    End();
  }
};

TEST(ColourHeat, EqualsANaiveCountOverSetsAndWindows) {
  for (auto [Cache, Sets, Ways] :
       {std::tuple("4K", 64u, 1u), std::tuple("4K/2", 32u, 2u),
        std::tuple("4K/8", 8u, 8u), std::tuple("64K", 1024u, 1u)})
    for (unsigned Seed = 0; Seed < 4; ++Seed) {
      std::mt19937_64 Chance(Seed);
      std::vector<uint64_t> Lines;
      std::vector<TraceEvent> Events;
      for (unsigned I = 0; I < 3000; ++I) {
        // Mostly a few hot lines, some of which share a set.
        const uint64_t Bits = Chance();
        const uint64_t Line =
            Bits % 4 ? (Bits >> 8) % 40 * 7 % 200 : 200 + (Bits >> 8) % 300;
        Lines.push_back(Line);
        Events.push_back(access(Line * 64));
      }
      const Naive Want(Lines, Sets, Ways);
      auto Got = heat(Events, Cache);
      ASSERT_TRUE(Got) << Got.error();
      EXPECT_EQ(Got->Sets, Sets);
      EXPECT_EQ(Got->Accesses, Lines.size());
      EXPECT_EQ(Got->Misses, Want.Misses) << Cache;
      uint64_t Conflicts = 0, Crowded = 0;
      for (auto [Set, Number] : Want.Conflicts)
        Conflicts += Number;
      for (const HeatType &Of : Got->Types)
        Crowded += Of.Crowded;
      EXPECT_EQ(Got->Conflicts, Conflicts) << Cache;
      EXPECT_EQ(Got->CrowdedSets, Want.Excess.size()) << Cache;
      EXPECT_EQ(Crowded, Want.Crowded) << Cache;
      uint64_t Before = ~uint64_t(0);
      for (const HeatSet &Of : Got->Fullest) {
        EXPECT_EQ(Of.Excess, Want.Excess.at(Of.Set));
        EXPECT_EQ(Of.Conflicts, Want.Conflicts.contains(Of.Set)
                                    ? Want.Conflicts.at(Of.Set)
                                    : 0);
        EXPECT_EQ(Of.Heat, Want.Heat.at(Of.Set));
        EXPECT_LE(Of.Heat, Before);
        Before = Of.Heat;
      }
    }
}

TEST(ColourHeat, NamesTheTypesThatMeetInASet) {
  // A ring and a kmalloc-96 64 KiB apart take turns; another ring is alone.
  std::vector<TraceEvent> Events = {object(0, 0, 64), object(64 << 10, 1, 96),
                                    object(4096, 0, 64)};
  for (unsigned I = 0; I < 10; ++I)
    for (uint64_t Physical : {uint64_t(0), uint64_t(64 << 10), Page})
      Events.push_back(access(Physical));
  auto Got = heat(Events, "64K");
  ASSERT_TRUE(Got) << Got.error();
  ASSERT_EQ(Got->Types.size(), 2u);
  EXPECT_EQ(Got->Types[0].Name, "ring");
  EXPECT_EQ(Got->Types[0].Accesses, 20u);
  EXPECT_EQ(Got->Types[0].Crowded, 10u);
  EXPECT_EQ(Got->Types[0].Conflicts, 9u);
  EXPECT_EQ(Got->Types[1].Name, "kmalloc-96");
  EXPECT_EQ(Got->Types[1].Crowded, 10u);
  ASSERT_EQ(Got->Fullest.size(), 1u);
  EXPECT_EQ(Got->Fullest[0].Set, 0u);
  EXPECT_EQ(Got->Fullest[0].Excess, 1u);
  EXPECT_EQ(Got->Fullest[0].Heat, 10u);
  EXPECT_EQ(Got->Fullest[0].Conflicts, 18u);
  EXPECT_EQ(Got->Fullest[0].Types.size(), 2u);
  ASSERT_EQ(Got->Pairs.size(), 1u);
  EXPECT_EQ(Got->Pairs[0].Meetings, 10u);
  EXPECT_NE(Got->Pairs[0].A, Got->Pairs[0].B);
  EXPECT_EQ(Got->ConflictsInFullest, 18u);
  EXPECT_NEAR(Got->Rank, 1, 1e-12);
}

TEST(ColourHeat, OneTypeMeetsItself) {
  std::vector<TraceEvent> Events = {object(0, 0, 64), object(64 << 10, 0, 64)};
  for (unsigned I = 0; I < 4; ++I) {
    Events.push_back(access(0));
    Events.push_back(access(64 << 10));
  }
  auto Got = heat(Events, "64K");
  ASSERT_TRUE(Got) << Got.error();
  ASSERT_EQ(Got->Pairs.size(), 1u);
  EXPECT_EQ(Got->Pairs[0].A, Got->Pairs[0].B);
  EXPECT_EQ(Got->Pairs[0].Meetings, 4u);
}

TEST(ColourHeat, CountsEachLineOfAnAccessAndLeavesOutWhatHasNoPlace) {
  std::vector<TraceEvent> Events = {access(60, 8), access(0, 64)};
  TraceEvent Elsewhere = access(0);
  Elsewhere.Address = 0xffffc90000000000; // vmalloc
  Events.push_back(Elsewhere);
  Elsewhere.Address = 0xffffffff81000000; // the image: physical 16 MiB
  Events.push_back(Elsewhere);
  auto Got = heat(Events, "64K");
  ASSERT_TRUE(Got) << Got.error();
  EXPECT_EQ(Got->Accesses, 4u);
  EXPECT_EQ(Got->NoPhysical, 1u);
  EXPECT_EQ(Got->Misses, 3u);
  EXPECT_EQ(Got->CrowdedSets, 1u); // line 0 and that of the image
  EXPECT_FALSE(heat({}, "64K"));
}

} // namespace
