// SPDX-License-Identifier: GPL-2.0-or-later

#include "SmallGuest.h"

using namespace kst;
using kst_test::SmallGuest;

namespace {

constexpr uint64_t Object = SmallGuest::Direct + 0x20000;
constexpr uint64_t Cache = SmallGuest::Direct + 0x5000;
constexpr uint64_t Stack = SmallGuest::Direct + 0x10ff0;
constexpr uint64_t Entry = SmallGuest::Direct + 0x30000;
constexpr uint64_t Caller = SmallGuest::Code + 0x900;

struct Running : SmallGuest {
  Recorder R;
  uint64_t Interrupted = 0; ///< what an interrupt stores last before the event

  void store(uint64_t Address, uint64_t Pc = Code + 0x500) {
    R.access(0, AccessStore, 8, Address, R.site(Pc));
  }
  void load(uint64_t Address, uint64_t Pc = Code + 0x500) {
    R.access(0, AccessLoad, 8, Address, R.site(Pc));
  }
  /// The page of Object becomes a slab of a cache of 64 bytes "ring".
  void slab(const char *Name = "ring") {
    setText(Image + 0x6000, Name);
    set(Cache + 0x10, Image + 0x6000);
    set(Cache + 0x18, uint32_t(64));
    set(Cache + 0x1c, uint32_t(60));
    uint64_t Page = Structs + (Object - Direct) / 4096 * 64;
    set(Page + 0x30, uint32_t(0xf5000000));
    set(Page + 8, Cache);
    store(Page + 8);
  }
  /// A call of the function that writes an entry of this event.
  void trace(const KernelEvent &E, uint16_t Type, bool Commit = true) {
    set(Stack, Image + 0x2000); // the return address
    store(Stack);
    if (Interrupted) {
      set(Stack - 64, Interrupted);
      store(Stack - 64);
    }
    R.enterTracing(0, E);
    store(Stack - 8, E.Begin + 4); // a register that is saved
    load(Object, Code + 0x700);    // work of the tracing
    set(Entry, Type);
    set(Entry + 8, Caller);
    set(Entry + 16, Object);
    set(Entry + 24, uint64_t(50));
    set(Entry + 32, uint64_t(64));
    store(Entry + 16, E.Begin + 8);
    store(Entry + 8, E.Begin + 12);
    if (Commit)
      R.commit(0);
    load(Stack, E.Begin + 90); // returns
  }
  std::vector<TraceEvent> ended() {
    R.finish();
    return events(0);
  }
};

size_t countOf(const std::vector<TraceEvent> &Events, EventKind Kind) {
  return static_cast<size_t>(
      std::count_if(Events.begin(), Events.end(),
                    [&](const TraceEvent &E) { return E.Kind == Kind; }));
}

TEST(Recorder, AccessesHaveTheirSite) {
  Running G;
  G.start(G.R);
  G.R.access(0, AccessLoad, 4, Object + 4, G.R.site(7777));
  G.R.access(0, AccessLoad | AccessStore, 8, Object + 8, G.R.site(8888));
  G.R.access(1, AccessStore, 1, Object, G.R.site(7777));
  auto Events = G.ended();
  ASSERT_EQ(Events.size(), 2u);
  EXPECT_EQ(Events[0].Address, Object + 4);
  EXPECT_EQ(Events[0].SizeBytes, 4u);
  EXPECT_EQ(Events[0].Access, AccessLoad);
  EXPECT_EQ(Events[1].Access, AccessLoad | AccessStore);
  EXPECT_EQ(Events[1].Time, 1u);
  ASSERT_EQ(G.events(1).size(), 1u);
  EXPECT_EQ(G.events(1)[0].Time, 2u);
  EXPECT_EQ(G.events(1)[0].Site, Events[0].Site);
  EXPECT_NE(G.tables().find("site 7777\nsite 8888\n"), std::string::npos);
}

TEST(Recorder, EntriesOfTheTraceBufferAreLives) {
  Running G;
  G.start(G.R);
  G.set(G.Image + 0x7000, uint32_t(21)); // the kernel's numbers of the events
  G.set(G.Image + 0x7008, uint32_t(22));
  G.slab();
  G.trace(G.R.settings().Events[0], 21);
  G.trace(G.R.settings().Events[1], 22);
  auto Events = G.ended();
  // The store to the page struct, the slab, and two calls with their stacks.
  ASSERT_EQ(countOf(Events, EventKind::Alloc), 1u);
  ASSERT_EQ(countOf(Events, EventKind::Free), 1u);
  ASSERT_EQ(countOf(Events, EventKind::Slab), 1u);
  EXPECT_EQ(countOf(Events, EventKind::Access), 3u);
  for (const TraceEvent &E : Events) {
    if (E.Kind == EventKind::Alloc) {
      EXPECT_EQ(E.Address, Object);
      EXPECT_EQ(E.SizeBytes, 64u);
      EXPECT_EQ(E.Value, 50u);
      EXPECT_EQ(E.Info, 1u); // behind "pages"
      EXPECT_EQ(E.Site, G.R.site(Caller).Number);
    }
    if (E.Kind == EventKind::Slab) {
      EXPECT_EQ(E.Address, Object);
      EXPECT_EQ(E.SizeBytes, 4096u);
      EXPECT_EQ(E.Value, 64u);
    }
  }
  EXPECT_NE(G.tables().find("cache 64 60 ring\n"), std::string::npos);
  EXPECT_NE(G.tables().find("count 10 tracing\n"), std::string::npos);
  EXPECT_NE(G.tables().find("count 0 lost-lives\n"), std::string::npos);
}

TEST(Recorder, AnInterruptBeforeTheFirstInstructionHidesNoLife) {
  Running G;
  G.start(G.R);
  G.set(G.Image + 0x7000, uint32_t(21));
  // What it stored last: no code, then the address of some.
  for (uint64_t Last : {uint64_t(5), G.Image + 0x3000}) {
    G.Interrupted = Last;
    G.trace(G.R.settings().Events[0], 21);
  }
  G.load(Object);
  auto Events = G.ended();
  EXPECT_EQ(countOf(Events, EventKind::Alloc), 2u);
  EXPECT_EQ(countOf(Events, EventKind::Access), 5u);
  EXPECT_NE(G.tables().find("count 0 lost-lives\n"), std::string::npos);
}

TEST(Recorder, AnEntryThatIsNoneOfTheEventIsNoLife) {
  Running G;
  G.start(G.R);
  G.set(G.Image + 0x7000, uint32_t(21));
  G.trace(G.R.settings().Events[0], 23);
  G.trace(G.R.settings().Events[0], 21, /*Commit=*/false);
  G.load(Object); // no longer the tracing's
  auto Events = G.ended();
  EXPECT_EQ(countOf(Events, EventKind::Alloc), 0u);
  EXPECT_EQ(countOf(Events, EventKind::Access), 3u);
  EXPECT_NE(G.tables().find("count 1 lost-lives\n"), std::string::npos);
}

TEST(Recorder, ObjectsInBulkAreSeenAtTheirStores) {
  Running G;
  G.S.BulkAlloc = {G.Code + 0x300, G.Code + 0x400};
  G.S.BulkFree = {G.Code + 0x400, G.Code + 0x500};
  G.S.CacheCpu = {0x28, 8};
  G.S.CacheFreePointer = {0x30, 4};
  G.start(G.R);
  G.slab();
  G.set(Cache + 0x28, uint64_t(0x100)); // per-CPU part of the cache
  G.set(Cache + 0x30, uint32_t(32));    // where free objects have their pointer
  const uint64_t Bulk = G.Code + 0x310, Array = G.Direct + 0x18000;
  G.set(Stack, Caller);
  G.store(Stack);
  G.R.enterBulk(0);
  for (uint64_t Place : {Array, Stack - 16, G.PerCpu + 0x100, Array + 8}) {
    G.set(Place, Object + (Place == Array ? 0 : 64));
    G.store(Place, Bulk);
  }
  G.set(Array + 16, Object + 65); // no object begins here
  G.store(Array + 16, Bulk);
  G.store(Object + 32, G.Code + 0x410);
  G.store(Object + 64, G.Code + 0x410); // not its pointer
  std::vector<uint64_t> Allocs, Frees;
  for (const TraceEvent &E : G.ended()) {
    if (E.Kind == EventKind::Alloc) {
      Allocs.push_back(E.Address);
      EXPECT_EQ(E.Site, G.R.site(Caller).Number);
      EXPECT_EQ(E.SizeBytes, 60u);
    }
    if (E.Kind == EventKind::Free)
      Frees.push_back(E.Address);
  }
  EXPECT_EQ(Allocs, (std::vector<uint64_t>{Object, Object + 64}));
  EXPECT_EQ(Frees, (std::vector<uint64_t>{Object}));
}

TEST(Recorder, ContextsComeFromPreemptCountAndTask) {
  Running G;
  G.start(G.R);
  G.load(Object);
  G.set(Object + 0x20, uint32_t(77)); // the task's id
  G.set(G.PerCpu + 0x18, Object);
  G.store(G.PerCpu + 0x18);
  for (uint32_t Count : {0x10000u, 0x10100u, 0x10100u, 0x0u}) {
    G.set(G.PerCpu + 0x10, Count);
    G.store(G.PerCpu + 0x10);
  }
  std::vector<std::tuple<uint32_t, uint64_t, uint64_t>> Found;
  for (const TraceEvent &E : G.ended())
    if (E.Kind == EventKind::Context)
      Found.push_back({E.Info, E.Value, E.Index});
  const uint32_t Soft = 1, Hard = 2;
  EXPECT_EQ(
      Found,
      (std::vector<std::tuple<uint32_t, uint64_t, uint64_t>>{
          {0, 77, 1}, {Hard, 0, 1}, {Soft, 0, 1}, {Soft, 0, 0}, {Hard, 0, 0}}));
}

TEST(Recorder, OnlyWhatIsWanted) {
  Running G;
  G.S.Filter = true;
  G.S.WantedCaches = {"ring"};
  G.S.Wanted = {{G.Image + 0x100, G.Image + 0x108}};
  G.S.WantedPerCpu = {{0x40, 0x48}};
  G.start(G.R);
  G.load(Object);
  G.slab("ring_of_keys");
  G.load(Object + 8);
  G.load(Object + 4096);
  G.load(G.Image + 0x104);
  G.load(G.Image + 0x108);
  G.load(G.PerCpu + 0x40);
  G.load(G.PerCpu + 0x48);
  std::vector<uint64_t> Found;
  for (const TraceEvent &E : G.ended())
    if (E.Kind == EventKind::Access)
      Found.push_back(E.Address);
  EXPECT_EQ(Found, (std::vector<uint64_t>{Object + 8, G.Image + 0x104,
                                          G.PerCpu + 0x40}));
}

TEST(Recorder, AWantedSiteOfACacheShowsTheCache) {
  for (uint64_t Asked : {50u, 51u}) {
    Running G;
    G.S.Filter = true;
    G.S.WantedSites = {{{Caller, Caller + 1}, Asked, 60, /*WholeCache=*/true}};
    G.start(G.R);
    G.set(G.Image + 0x7000, uint32_t(21));
    G.slab();
    G.load(Object + 64);
    G.trace(G.R.settings().Events[0], 21); // asks for 50 bytes
    G.load(Object + 64);
    auto Events = G.ended();
    const size_t Wanted = Asked == 50;
    EXPECT_EQ(countOf(Events, EventKind::Slab), Wanted);
    EXPECT_EQ(countOf(Events, EventKind::Alloc), Wanted);
    EXPECT_EQ(countOf(Events, EventKind::Access), Wanted);
  }
}

TEST(Recorder, AWantedSiteIsLookedForBeforeTheWindow) {
  Running G;
  G.S.Filter = true;
  G.S.Window = {1, 2};
  G.S.WantedSites = {{{Caller, Caller + 1}, 50, 60, /*WholeCache=*/true}};
  G.start(G.R);
  G.set(G.Image + 0x7000, uint32_t(21));
  G.slab();
  G.trace(G.R.settings().Events[0], 21);
  G.R.begin(0);
  G.load(Object + 64);
  auto Events = G.ended();
  EXPECT_EQ(countOf(Events, EventKind::Slab), 1u);
  EXPECT_EQ(countOf(Events, EventKind::Alloc), 0u);
  EXPECT_EQ(countOf(Events, EventKind::Access), 1u);
  // Left out is what was left out of the window.
  EXPECT_NE(G.tables().find("count 0 tracing\n"), std::string::npos);
}

TEST(Recorder, AnAllocationThatIsToldAgainCountsOnce) {
  Running G;
  G.S.ToldAgain = {{Caller - 8, Caller + 8}};
  G.start(G.R);
  G.set(G.Image + 0x7000, uint32_t(21));
  G.trace(G.R.settings().Events[0], 21);
  EXPECT_EQ(countOf(G.ended(), EventKind::Alloc), 0u);
}

TEST(Recorder, PointersOnRequest) {
  Running G;
  G.S.Pointers = {{"ring", 16}};
  G.start(G.R);
  G.slab();
  G.set(Object + 64 + 16, uint64_t(0x1234));
  G.store(Object + 64 + 16);
  G.store(Object + 64 + 8);
  G.load(Object + 16);
  std::vector<TraceEvent> Found;
  for (const TraceEvent &E : G.ended())
    if (E.Kind == EventKind::PointerStore)
      Found.push_back(E);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Address, Object + 80);
  EXPECT_EQ(Found[0].Value, 0x1234u);
}

TEST(Recorder, AWindowBeginsWithTheSlabsThereAre) {
  Running G;
  G.S.Window = {1, 2};
  G.start(G.R);
  G.slab();
  G.load(Object);
  G.R.begin(0);
  G.load(Object + 1);
  G.R.end(0);
  G.load(Object + 2);
  G.R.begin(0); // once
  G.load(Object + 3);
  auto Events = G.ended();
  ASSERT_EQ(Events.size(), 2u);
  EXPECT_EQ(Events[0].Kind, EventKind::Slab);
  EXPECT_EQ(Events[0].SizeBytes, 4096u);
  EXPECT_EQ(Events[1].Address, Object + 1);
}

TEST(Recorder, SamplesTakeWholeIntervals) {
  Running G;
  G.S.SampleTaken = 1;
  G.S.SampleOf = 4;
  G.start(G.R);
  const RecordedSite &Site = G.R.site(1);
  for (uint64_t I = 0; I < (7u << 20); ++I)
    G.R.access(0, AccessLoad, 8, I, Site);
  auto Events = G.ended();
  EXPECT_NEAR(double(Events.size()), double(2u << 20), 4096);
  size_t Breaks = 0;
  for (size_t I = 1; I < Events.size(); ++I)
    Breaks += Events[I].Address != Events[I - 1].Address + 1;
  EXPECT_EQ(Breaks, 1u);
}

TEST(Recorder, ARecorderThatIsKilledLeavesWholeBlocks) {
  SmallGuest G;
  auto *R = new Recorder; // never ended, as a process that is killed
  G.start(*R);
  const RecordedSite Site = R->site(1);
  for (uint64_t I = 0; I < 3 * EventsPerTraceBlock + 5; ++I)
    R->access(0, AccessLoad, 8, I, Site);
  EXPECT_EQ(G.events(0).size(), 3 * EventsPerTraceBlock);
  EXPECT_EQ(G.tables().find("end"), std::string::npos);
  EXPECT_EQ(G.tables().rfind("site 1\n", 0), 0u);
  delete R;
}

} // namespace
