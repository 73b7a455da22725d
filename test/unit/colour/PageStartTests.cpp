// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/PageReplay.h"
#include "hybrid/trace/TraceWriter.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

/// A trace of page events, as a recorder leaves it.
struct PageTrace {
  std::vector<TraceEvent> Events;

  TraceEvent &add(EventKind Kind) {
    TraceEvent E;
    E.Kind = Kind;
    E.Site = NoTraceSite;
    E.Time = Events.size();
    Events.push_back(E);
    return Events.back();
  }
  void page(EventKind Kind, uint64_t Frame, unsigned Order,
            uint8_t Type = Movable, unsigned Cpu = 0) {
    TraceEvent &E = add(Kind);
    E.Value = Frame;
    E.Info = Order | unsigned(Type) << 8;
    E.SizeBytes = 4096u << Order;
    E.Stream = Cpu;
  }
  void state(PageStateKind Kind, uint64_t Value, uint64_t Index,
             unsigned Zone = 0) {
    TraceEvent &E = add(EventKind::PageState);
    E.Info = uint32_t(Kind) | Zone << 8;
    E.Value = Value;
    E.Index = Index;
    E.SizeBytes = 4096u << 9;
  }
  std::string bytes() const {
    std::string Out;
    TraceWriter To(TraceTables(), [&](std::string_view Part) {
      Out += Part;
      return true;
    });
    for (const TraceEvent &E : Events)
      To.event(E);
    To.finish();
    return Out;
  }
  Result<PageReplay> replay(ColourReplayOptions Options = {}) const {
    const std::string Bytes = bytes();
    Options.Cache = *parseMemoryCache("64K");
    return replayPages([&] { return TraceReader::open(Bytes); }, Options);
  }
};

/// 2048 frames, all but the first 1024 free; lists of CPUs of 3 pages that come
/// at a time and stay.
PageTrace told() {
  PageTrace Out;
  Out.page(EventKind::PageAlloc, 0, 0);
  Out.state(PageStateKind::Zone, 0, 2048);
  Out.state(PageStateKind::CpuLists, 3, 12 | uint64_t(12) << 32);
  Out.state(PageStateKind::Free, 1024, 10 | uint64_t(Movable) << 8);
  return Out;
}

TEST(PageAgreement, ForetellsPagesOfTheCpusListThenOfTheNextOnes) {
  PageTrace Trace = told();
  for (uint64_t Frame : {1024, 1025, 1026}) // a batch of CPU 0
    Trace.page(EventKind::PageAlloc, Frame, 0);
  // The next batch is twice as large: 1027 to 1032. Then that of CPU 1.
  Trace.page(EventKind::PageAlloc, 1027, 0);
  Trace.page(EventKind::PageAlloc, 1033, 0, Movable, 1);
  Trace.page(EventKind::PageFree, 1025, 0);
  Trace.page(EventKind::PageAlloc, 1025, 0); // last in, first out
  Trace.page(EventKind::PageAlloc, 1028, 0);
  auto Got = Trace.replay();
  ASSERT_TRUE(Got) << Got.error();
  EXPECT_EQ(Got->Agreement.allocations(), 7u);
  EXPECT_EQ(Got->Agreement.equal(), 7u);
  EXPECT_EQ(Got->Agreement.FreesOfOrder, 1u);
}

TEST(PageAgreement, SaysWhereTheKernelsPageWasAndGoesOnBehindIt) {
  PageTrace Trace = told();
  Trace.page(EventKind::PageAlloc, 1025, 0); // second of the batch
  Trace.page(EventKind::PageAlloc, 1026, 0);
  Trace.page(EventKind::PageAlloc, 1500, 0); // somewhere on the free lists
  Trace.page(EventKind::PageAlloc, 7, 0);    // in use as far as is known
  Trace.page(EventKind::PageAlloc, 5000, 0); // no such page
  auto Got = Trace.replay();
  ASSERT_TRUE(Got) << Got.error();
  const auto &Was = Got->Agreement.Orders[0].Was;
  EXPECT_EQ(Was[size_t(PageWas::Equal)], 1u);
  EXPECT_EQ(Was[size_t(PageWas::OwnList)], 1u);
  EXPECT_EQ(Was[size_t(PageWas::FreeList)], 1u);
  EXPECT_EQ(Was[size_t(PageWas::Used)], 1u);
  EXPECT_EQ(Was[size_t(PageWas::Outside)], 1u);
}

TEST(PageAgreement, CountsBlocksThatLeaveACpusListByThemselves) {
  PageTrace Trace = told();
  Trace.page(EventKind::PageAlloc, 1024, 0);
  Trace.page(EventKind::PageDrain, 1026, 0);
  Trace.page(EventKind::PageDrain, 1026, 0); // it is there already
  auto Got = Trace.replay();
  ASSERT_TRUE(Got) << Got.error();
  EXPECT_EQ(Got->Agreement.DrainsFollowed, 1u);
  EXPECT_EQ(Got->Agreement.DrainsForetold, 1u);
}

TEST(PageStart, WithoutAStatePagesAreFreeThatNoEventShowsInUse) {
  PageTrace Trace;
  Trace.page(EventKind::PageFree, 3, 0);
  Trace.page(EventKind::PageAlloc, 600, 0);
  const std::string Bytes = Trace.bytes();
  auto Reader = TraceReader::open(Bytes);
  auto Start = pageStart(*Reader);
  ASSERT_TRUE(Start) << Start.error();
  EXPECT_FALSE(Start->Recorded);
  uint64_t Free = 0;
  for (const PageStart::Block &Of : Start->Free)
    Free += 1u << Of.Order;
  EXPECT_EQ(Free, 1024u - 2); // page 0, and that which was freed first
}

TEST(PageReplay, EveryPolicyKeepsAsManyPagesAsTheTrace) {
  PageTrace Trace = told();
  ColourReplayOptions Options;
  Options.Colours = {16, 0};
  for (unsigned Of = 0; Of < PagePolicies; ++Of)
    Options.Policies.push_back(PagePolicy(Of));
  for (uint64_t Frame = 1024; Frame < 1124; ++Frame)
    Trace.page(EventKind::PageAlloc, Frame, 0);
  Trace.page(EventKind::PageAlloc, 1280, 5);
  for (uint64_t Frame = 1024; Frame < 1064; ++Frame)
    Trace.page(EventKind::PageFree, Frame, 0);
  for (uint64_t Frame = 1280; Frame < 1288; ++Frame)
    Trace.page(EventKind::PageFree, Frame, 0); // a part of a block
  Trace.page(EventKind::PageFree, 8, 3);       // in use since before
  auto Got = Trace.replay(Options);
  ASSERT_TRUE(Got) << Got.error();
  auto Sum = [](const std::vector<uint32_t> &Of) {
    uint64_t Out = 0;
    for (uint32_t Pages : Of)
      Out += Pages;
    return Out;
  };
  EXPECT_EQ(Sum(Got->RecordedPages), 60u + 24);
  for (const PolicyResult &Of : Got->Policies) {
    EXPECT_EQ(Sum(Of.Pages), 60u + 24) << spelling(Of.Policy);
    EXPECT_EQ(Of.Failed, 0u);
  }
  EXPECT_EQ(Got->Policies[0].Pages, Got->RecordedPages); // stock
}

TEST(PageReplay, PagesThatWereInUseBeforeCountToTheirColour) {
  PageTrace Trace = told();
  Trace.page(EventKind::PageFree, 16, 4); // one page of each colour
  ColourReplayOptions Options;
  Options.Colours = {16, 0};
  Options.Policies = {PagePolicy::ColourTree, PagePolicy::EmptiestBin};
  Options.Sizes = {0.5, 1};
  auto Got = Trace.replay(Options);
  ASSERT_TRUE(Got) << Got.error();
  for (const PolicyResult &Of : Got->Policies) {
    ASSERT_EQ(Of.Sweep.size(), 2u) << spelling(Of.Policy);
    for (const SweepPoint &P : Of.Sweep)
      EXPECT_EQ(P.HitShare, 1) << spelling(Of.Policy) << " " << P.WorkingSet;
  }
}

TEST(PageAllocator, AColourThatOnlyAnotherZoneHasIsNotAskedFor) {
  for (PagePolicy Policy : {PagePolicy::ColourTree, PagePolicy::EmptiestBin}) {
    PageAllocator Of({{0, 16, 9}, {16, 2032, 9}}, Policy, {16, 0});
    Of.zones()[0].append(0, 3, Movable);    // colours 0 to 7
    for (uint32_t Frame : {24, 40, 25, 41}) // 8 and 9, twice
      Of.zones()[1].append(Frame, 0, Movable);
    Of.start();
    const uint32_t First = Of.alloc({0, 0, Movable, 1}),
                   Second = Of.alloc({0, 0, Movable, 1});
    EXPECT_EQ(First % 16, 8u) << spelling(Policy);
    EXPECT_EQ(Second % 16, 9u) << spelling(Policy);
    EXPECT_EQ(Of.usedOf(0), 127u); // of all zones
  }
}

TEST(PageReplay, AFreeThatReachesBeyondItsZoneEndsThere) {
  PageTrace Trace;
  Trace.state(PageStateKind::Zone, 0, 1000);
  Trace.state(PageStateKind::Zone, 4096, 1024, 1);
  Trace.state(PageStateKind::Free, 512, 8 | unsigned(Movable) << 8);
  Trace.page(EventKind::PageAlloc, 992, 0);
  Trace.page(EventKind::PageFree, 992, 4); // frames 1000 to 1007: no zone's
  ColourReplayOptions Options;
  Options.Colours = {16, 0};
  for (unsigned Of = 0; Of < PagePolicies; ++Of)
    Options.Policies.push_back(PagePolicy(Of));
  auto Got = Trace.replay(Options);
  ASSERT_TRUE(Got) << Got.error();
  for (const PolicyResult &Of : Got->Policies)
    EXPECT_EQ(Of.Requests, 1u);
}

TEST(PageStart, RefusesNonsense) {
  auto Fails = [](auto Change) {
    PageTrace Trace = told();
    Change(Trace);
    EXPECT_FALSE(Trace.replay());
  };
  Fails([](PageTrace &T) { T.page(EventKind::PageAlloc, 1025, 1); });
  Fails([](PageTrace &T) { T.page(EventKind::PageAlloc, 1024, 11); });
  Fails([](PageTrace &T) { T.page(EventKind::PageAlloc, 1ull << 40, 0); });
  Fails([](PageTrace &T) { T.state(PageStateKind::Free, 2048, 0); });
  Fails([](PageTrace &T) { T.state(PageStateKind::Free, 1024, 11); });
  Fails([](PageTrace &T) { T.state(PageStateKind::CpuPage, 1024, 3 << 8); });
  PageTrace Empty;
  EXPECT_FALSE(Empty.replay());
}

} // namespace
