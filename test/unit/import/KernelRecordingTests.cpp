// SPDX-License-Identifier: GPL-2.0-or-later
//
// Recordings of perf and trace-cmd, read down to the lives of objects.

#include "KernelFiles.h"

#include "hybrid/import/KernelLives.h"
#include "hybrid/import/PerfData.h"
#include "hybrid/import/RingBuffer.h"
#include "hybrid/import/TraceDat.h"
#include "hybrid/import/Tracepoints.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

using namespace kst;
using namespace kst_test;

namespace {

struct Walked {
  std::vector<KernelRecord> Records; ///< Names are copied into Names
  std::vector<std::string> Names;
  KernelRecordingNotes Notes;
  std::string Failure;
};

Walked walk(Result<std::unique_ptr<KernelRecording>> From) {
  Walked Out;
  if (!From) {
    Out.Failure = From.error();
    return Out;
  }
  for (int Times = 0; Times < 2; ++Times) { // both walks give the same
    std::vector<KernelRecord> Records;
    Out.Names.clear();
    auto Wrong = (*From)->walk([&](const KernelRecord &R) {
      Records.push_back(R);
      Out.Names.emplace_back(R.Name);
    });
    if (Wrong)
      Out.Failure = Wrong->Message;
    EXPECT_TRUE(!Times || Records.size() == Out.Records.size());
    Out.Records = std::move(Records);
  }
  Out.Notes = (*From)->notes();
  return Out;
}
Walked walkPerf(const std::string &Bytes) { return walk(openPerfData(Bytes)); }

std::string rawAlloc(bool Big, uint16_t Id, uint64_t Caller, uint64_t Address,
                     uint64_t Asked, uint64_t Given, uint64_t Flags = 0) {
  return rawEvent(Big, Id, KernelRecord::InSoftirq, 7,
                  {Caller, Address, Asked, Given, Flags})
      .Out;
}

TEST(PerfData, AllFormsSayTheSame) {
  for (bool Big : {false, true})
    for (bool Pipe : {false, true})
      for (bool Packed : {false, true}) {
        PerfFile File{Big, Pipe, Packed};
        File.kernelAt(0xffffffff81000000);
        File.tracepoint(
            30, 1,
            rawAlloc(Big, CacheAllocId, 0x11, 0xffff888000001000, 20, 24));
        File.memory(20, 0, 0x22, 0xffff888000001008, 4);
        File.roundEnds();
        BytesOut Lost{Big, ""};
        Lost.put<uint64_t>(100).put<uint64_t>(5);
        File.add(2, Lost.Out + File.tail(35, 1));
        File.roundEnds();
        Walked W = walkPerf(File.bytes());
        ASSERT_EQ(W.Failure, "");
        EXPECT_EQ(W.Notes.Damage, "");
        ASSERT_EQ(W.Records.size(), 3u);
        const KernelRecord &Access = W.Records[0], &Alloc = W.Records[1],
                           &Gap = W.Records[2];
        EXPECT_EQ(Access.What, KernelRecord::Sample);
        EXPECT_EQ(Access.Access, AccessStore);
        EXPECT_EQ(Access.Address, 0xffff888000001008u);
        EXPECT_EQ(Access.Caller, 0x22u);
        EXPECT_EQ(Access.Stream, 0u);
        EXPECT_EQ(Access.Task, 7u);
        EXPECT_EQ(Alloc.What, KernelRecord::CacheAlloc);
        EXPECT_EQ(Alloc.Time, 30u);
        EXPECT_EQ(Alloc.Stream, 1u);
        EXPECT_EQ(Alloc.Inside, KernelRecord::InSoftirq);
        EXPECT_EQ(Alloc.Caller, 0x11u);
        EXPECT_EQ(Alloc.Asked, 20u);
        EXPECT_EQ(Alloc.Bytes, 24u);
        EXPECT_EQ(Gap.LostBefore, 5u);
        EXPECT_EQ(Gap.Time, 35u);
        EXPECT_EQ(Gap.Stream, 1u);
        const std::string Bytes = File.bytes();
        auto Again = openPerfData(Bytes);
        (void)(*Again)->walk([](const KernelRecord &) {});
        ASSERT_TRUE((*Again)->anchor());
        EXPECT_EQ((*Again)->anchor()->first, "_text");
        EXPECT_EQ((*Again)->anchor()->second, 0xffffffff81000000u);
      }
}

TEST(PerfData, WhatASampleDoes) {
  struct Row {
    uint64_t DataSource;
    KernelRecord::Kind What;
    uint8_t Access;
  };
  for (const Row &R :
       {Row{0, KernelRecord::Sample, AccessLoad},
        Row{1, KernelRecord::Sample, AccessLoad},
        Row{2, KernelRecord::Sample, AccessLoad},
        Row{4, KernelRecord::Sample, AccessStore},
        Row{6, KernelRecord::Sample, AccessLoad | AccessStore},
        // What stands behind the operation is nobody's concern.
        Row{0x12345 << 5 | 4, KernelRecord::Sample, AccessStore},
        Row{8, KernelRecord::Other, 0}, Row{16, KernelRecord::Other, 0}}) {
    PerfFile File;
    File.memory(1, 0, 0x22, 0x1000, R.DataSource);
    Walked W = walkPerf(File.bytes());
    ASSERT_EQ(W.Records.size(), 1u);
    EXPECT_EQ(W.Records[0].What, R.What) << R.DataSource;
    EXPECT_EQ(W.Records[0].Access, R.Access) << R.DataSource;
  }
  PerfFile File;
  File.memory(1, 0, 0x22, 0, 2);
  File.memory(2, 0, 0x22, 0x22, 2); // the fetch of the instruction
  Walked W = walkPerf(File.bytes());
  ASSERT_EQ(W.Records.size(), 2u);
  EXPECT_EQ(W.Records[0].What, KernelRecord::Other);
  EXPECT_EQ(W.Notes.NoAddress, 2u);
}

TEST(PerfData, RoundsBoundTheOrder) {
  PerfFile File;
  auto Access = [&](uint64_t Time, uint32_t Cpu) {
    File.memory(Time, Cpu, 1, 0x1000, 2);
  };
  Access(10, 0);
  Access(30, 0);
  Access(5, 1);
  File.roundEnds();
  Access(40, 0);
  Access(20, 1); // not older than the newest of the round before the last
  File.roundEnds();
  Access(35, 1);
  std::vector<uint64_t> Times;
  for (const KernelRecord &R : walkPerf(File.bytes()).Records)
    Times.push_back(R.Time);
  EXPECT_EQ(Times, (std::vector<uint64_t>{5, 10, 20, 30, 35, 40}));
}

TEST(PerfData, WhatIsAskedAtTheEndCountsOnce) {
  for (uint64_t Asked : {3, 5, 9}) {
    PerfFile File;
    File.memory(1, 0, 1, 0x1000, 2);
    File.add(2, BytesOut{}.put<uint64_t>(200).put<uint64_t>(5).Out +
                    File.tail(2, 0));
    File.add(13, BytesOut{}.put(Asked).Out + File.tail(0, 0));
    uint64_t Lost = 0;
    for (const KernelRecord &R : walkPerf(File.bytes()).Records)
      Lost += R.LostBefore;
    EXPECT_EQ(Lost, std::max<uint64_t>(5, Asked));
  }
}

TEST(PerfData, WhatIsWholeIsRead) {
  PerfFile File;
  File.memory(1, 0, 1, 0x1000, 2);
  File.memory(2, 0, 1, 0x2000, 2);
  const std::string Whole = File.bytes();
  const size_t Begin = 104 + 16 + 256, End = Begin + File.Records.size();
  for (size_t Size = 0; Size < Whole.size(); ++Size) {
    Walked W = walkPerf(Whole.substr(0, Size));
    if (Size < 104)
      EXPECT_NE(W.Failure, "") << Size;
    else if (Size >= Begin) {
      EXPECT_EQ(W.Records.size(),
                (std::min(Size, End) - Begin) * 2 / File.Records.size())
          << Size;
      EXPECT_NE(W.Notes.Damage, "") << Size;
    }
  }
  // perf was killed: it had not written how much there is.
  std::string Killed = Whole.substr(0, End);
  Killed.replace(48, 8, 8, '\0');
  Walked W = walkPerf(Killed);
  EXPECT_EQ(W.Records.size(), 2u);
  EXPECT_NE(W.Notes.Damage.find("did not end in order"), std::string::npos);
}

TEST(PerfData, OtherVersions) {
  EXPECT_TRUE(looksLikePerfData("PERFFILE"));
  EXPECT_FALSE(looksLikePerfData("PERFILE"));
  EXPECT_NE(
      walkPerf("PERFFILE" + std::string(200, 'x')).Failure.find("version 1"),
      std::string::npos);
  PerfFile Empty{false, true};
  EXPECT_EQ(walkPerf(Empty.bytes().substr(0, 16)).Failure, "it names no event");
}

TEST(Tracepoints, FormatsSayWhereFieldsAre) {
  Tracepoints Formats;
  EXPECT_TRUE(
      Formats.add("kmem", formatText("kfree", 5,
                                     {{"const void * ptr", {8, 8}},
                                      {"unsigned long call_site", {16, 4}}})));
  EXPECT_FALSE(Formats.add(
      "kmem", formatText("kmalloc", 6, {{"const void * ptr", {8, 8}}})));
  EXPECT_TRUE(
      Formats.add("kmem", formatText("kmem_cache_free", 7,
                                     {{"unsigned long call_site", {8, 8}},
                                      {"const void * ptr", {16, 8}},
                                      {"__rel_loc char[] name", {24, 4}}})));
  EXPECT_FALSE(Formats.add("kmem", "nonsense"));
  EXPECT_TRUE(Formats.add(
      "sched", formatText("of_no_interest", 8, {{"char comm[16]", {8, 16}}})));
  std::string Raw =
      rawEvent(false, 5, 0x48, 9, {0x1234, 0xffffffff00000056}).Out;
  KernelRecord R;
  Formats.decode(5, Raw, R);
  EXPECT_EQ(R.What, KernelRecord::Kfree);
  EXPECT_EQ(R.Address, 0x1234u);
  EXPECT_EQ(R.Caller, 0x56u);
  EXPECT_EQ(R.Task, 9u);
  EXPECT_EQ(R.Inside, KernelRecord::InHardirq | KernelRecord::InNmi);
  R = {};
  Formats.decode(5, std::string_view(Raw).substr(0, 19), R); // too short
  EXPECT_EQ(R.What, KernelRecord::Other);
  Formats.decode(6, Raw, R); // lacks fields
  EXPECT_EQ(R.What, KernelRecord::Other);
  Formats.decode(99, Raw, R);
  EXPECT_EQ(R.What, KernelRecord::Other);
  Raw = rawEvent(false, 7, 0, 1, {1, 2}).Out +
        BytesOut{}.put<uint32_t>(4 | 7 << 16).text("+++").text("dentry").Out;
  Formats.decode(7, Raw, R); // counted from behind the number
  EXPECT_EQ(R.What, KernelRecord::CacheFree);
  EXPECT_EQ(R.Name, "dentry");
}

TEST(RingPage, EveryTypeOfEvent) {
  for (bool Big : {false, true}) {
    RingPageOut Out{Big, 1000, uint64_t(3) << 30, 42};
    Out.event(5, "abcd");
    Out.head(29, 7).number(12); // taken back: 8 bytes behind the number
    Out.number(0), Out.number(0);
    Out.event(1, std::string(200, 'l'));
    Out.head(30, 3).number(2);
    Out.event(0, "efgh");
    Out.head(31, 9).number(1);
    Out.event(2, "ijkl");
    Out.head(29, 0).number(77); // the rest is nothing
    RingPage Page(Out.bytes(), 8, Big);
    RingEvent E;
    struct Row {
      uint64_t Time, Lost;
      size_t Size;
    };
    for (const Row &R : {Row{1005, 42, 4},
                         {1013, 0, 200},
                         {1016 + (uint64_t(2) << 27), 0, 4},
                         {(uint64_t(1) << 27) + 11, 0, 4}}) {
      ASSERT_TRUE(Page.next(E)) << R.Time;
      EXPECT_EQ(E.Time, R.Time);
      EXPECT_EQ(E.LostBefore, R.Lost);
      EXPECT_EQ(E.Bytes.size(), R.Size);
    }
    EXPECT_FALSE(Page.next(E));
    EXPECT_FALSE(Page.damaged());
  }
}

TEST(RingPage, OfA32BitKernel) {
  for (bool Big : {false, true}) {
    BytesOut Out{Big, ""};
    Out.put<uint64_t>(100).put<uint32_t>(8 | uint32_t(3) << 30);
    Out.put<uint32_t>(Big ? 1 << 27 | 7 : 7 << 5 | 1).bytes("abcd");
    Out.put<uint32_t>(9);
    Out.Out.resize(4096);
    RingPage Page(Out.Out, 4, Big);
    RingEvent E;
    ASSERT_TRUE(Page.next(E));
    EXPECT_EQ(E.Time, 107u);
    EXPECT_EQ(E.Bytes, "abcd");
    EXPECT_EQ(E.LostBefore, 9u);
    EXPECT_FALSE(Page.next(E));
  }
}

TEST(RingPage, Damage) {
  RingPageOut Out;
  Out.head(0, 1).number(400); // longer than the page
  RingPage Page(Out.bytes(), 8, false);
  RingEvent E;
  EXPECT_FALSE(Page.next(E));
  EXPECT_TRUE(Page.damaged());
  RingPageOut Full;
  Full.Flags = 8000;
  EXPECT_TRUE(RingPage(Full.bytes(), 8, false).damaged());
  EXPECT_TRUE(RingPage("short", 8, false).damaged());
  EXPECT_FALSE(RingPage("", 8, false).damaged());
  RingPageOut Some; // lost, nobody knows how many
  Some.Flags = uint64_t(1) << 31;
  Some.event(0, "abcd");
  RingPage Lossy(Some.bytes(), 8, false);
  ASSERT_TRUE(Lossy.next(E));
  EXPECT_EQ(E.LostBefore, 1u);
}

TEST(TraceDat, CpusAreMergedByTime) {
  for (bool Big : {false, true}) {
    RingPageOut First{Big, 10}, Second{Big, 12, uint64_t(3) << 30, 4};
    First.event(0, rawAlloc(Big, CacheAllocId, 0x1008, 0x5000, 20, 24));
    First.event(10, rawAlloc(Big, KmallocId, 0x2004, 0x6000, 90, 96));
    Second.event(3, rawFree(Big, 8, 0x2004, 0x5000, "dentry"));
    const std::string Bytes =
        traceDat(Big, {First.bytes(), Second.bytes()},
                 "1000 T _text\n1000 T one\n2000 t two\n3000 D data\n"
                 "4000 T last\n0 T hidden\nnonsense\n");
    ASSERT_TRUE(looksLikeTraceDat(Bytes));
    Walked W = walk(openTraceDat(Bytes));
    ASSERT_EQ(W.Failure, "");
    EXPECT_EQ(W.Notes.Damage, "");
    ASSERT_EQ(W.Records.size(), 3u);
    EXPECT_EQ(W.Records[0].What, KernelRecord::CacheAlloc);
    EXPECT_EQ(W.Records[0].Time, 10u);
    EXPECT_EQ(W.Records[1].What, KernelRecord::CacheFree);
    EXPECT_EQ(W.Records[1].Stream, 1u);
    EXPECT_EQ(W.Records[1].LostBefore, 4u);
    EXPECT_EQ(W.Names[1], "dentry");
    EXPECT_EQ(W.Records[2].What, KernelRecord::Kmalloc);
    EXPECT_EQ(W.Records[2].Time, 20u);
    auto Open = openTraceDat(Bytes);
    EXPECT_EQ((*Open)->functionAt(0x2004).Name, "two");
    EXPECT_EQ((*Open)->functionAt(0x2004).Address, 0x2000u);
    EXPECT_EQ((*Open)->functionAt(0x5000).Name, "");
    EXPECT_EQ((*Open)->functionAt(0x500).Name, "");
    ASSERT_TRUE((*Open)->anchor());
    EXPECT_EQ((*Open)->anchor()->second, 0x1000u);
    EXPECT_EQ((*Open)->text().at("machine"), "small");
    EXPECT_EQ((*Open)->text().at("clock"), "nanoseconds, local");
    std::string Cycles = Bytes;
    Cycles.replace(Cycles.find("[local] x86-tsc "), 16, " local [x86-tsc]");
    EXPECT_EQ((*openTraceDat(Cycles))->text().at("clock"), "units of x86-tsc");
    // Cut: the page that is whole is read, the other as far as it goes.
    size_t Half = Bytes.size() - 4096;
    W = walk(openTraceDat(std::string_view(Bytes).substr(0, Half)));
    EXPECT_EQ(W.Records.size(), 2u);
    EXPECT_EQ(W.Notes.Damage, "it is cut short");
    for (size_t Size = 0; Size < Half; Size += 13)
      walk(openTraceDat(std::string_view(Bytes).substr(0, Size)));
  }
}

TEST(TraceDat, OtherFiles) {
  auto Why = [](std::string Bytes) {
    return walk(openTraceDat(Bytes)).Failure;
  };
  std::string Bytes = traceDat(false, {RingPageOut().bytes()}, "");
  std::string Old = Bytes;
  Old[10] = '5';
  EXPECT_EQ(Why(Old), "a trace.dat of version 5; versions 6 and 7 are read");
  std::string Latency = Bytes;
  Latency.replace(Latency.find("flyrecord"), 9, "latency  ");
  EXPECT_EQ(Why(Latency), "it has text of a latency tracer, no buffer");
  BytesOut Zlib = tracingHead(false, "7");
  EXPECT_EQ(Why(Zlib.text("zlib").text("1.2").put<uint64_t>(0).Out),
            "compressed by zlib: record with --compression zstd or none");
}

/// What lives make of records, a line for each event.
std::vector<std::string> linesOf(const std::vector<KernelRecord> &Records,
                                 KernelLives &Lives) {
  for (const KernelRecord &R : Records)
    Lives.survey(R);
  Lives.finish();
  std::vector<std::string> Out;
  for (const KernelRecord &R : Records)
    Lives.convert(R, [&](const TraceEvent &E) {
      std::string Line = std::to_string(E.Time) + " ";
      switch (E.Kind) {
      case EventKind::Alloc:
      case EventKind::Free:
        Line += E.Kind == EventKind::Alloc ? "alloc " : "free ";
        Line += E.Info == NoAllocator ? "-" : Lives.caches()[E.Info].Name;
        break;
      case EventKind::Context:
        Line += "context " + std::to_string(E.Info) + " " +
                std::to_string(E.Value) + (E.Index ? " in" : " out");
        break;
      case EventKind::PageAlloc:
      case EventKind::PageFree:
        Line += E.Kind == EventKind::PageAlloc ? "page-alloc " : "page-free ";
        Line += std::to_string((E.Address - Lives.directMap()) >> 12) + " " +
                std::to_string(E.SizeBytes);
        break;
      default:
        Line += "other";
      }
      Out.push_back(Line);
    });
  return Out;
}

constexpr uint64_t Object = 0xffff900040001000;

KernelRecord lifeOf(KernelRecord::Kind What, uint64_t Time, uint64_t Address,
                    uint64_t Caller = 1) {
  KernelRecord R;
  R.What = What;
  R.Time = Time;
  R.Address = Address;
  R.Caller = Caller;
  if (What == KernelRecord::Kmalloc || What == KernelRecord::CacheAlloc)
    R.Asked = R.Bytes = 64;
  return R;
}

TEST(KernelLives, FreesNameCaches) {
  std::vector<KernelRecord> R = {
      lifeOf(KernelRecord::CacheAlloc, 1, Object),
      lifeOf(KernelRecord::CacheAlloc, 2, Object + 64),
      lifeOf(KernelRecord::CacheAlloc, 3, Object + 128), // lives on
      lifeOf(KernelRecord::CacheFree, 4, Object, 9),
      lifeOf(KernelRecord::CacheFree, 5, Object + 64, 9),
      lifeOf(KernelRecord::CacheAlloc, 6, Object, 2), // nobody names it
      lifeOf(KernelRecord::Kfree, 7, Object),
      lifeOf(KernelRecord::Kfree, 8, Object + 1024), // not seen before
      lifeOf(KernelRecord::Kfree, 9, 0),
      lifeOf(KernelRecord::CacheFree, 10, Object + 2048)};
  R[3].Name = "first";
  R[4].Name = "second"; // of the same caller and size
  R[9].Name = "third";
  KernelLives Lives(0, 4096);
  EXPECT_EQ(linesOf(R, Lives),
            (std::vector<std::string>{
                "1 alloc first", "2 alloc second", "3 alloc first",
                "4 free first", "5 free second", "6 alloc kmem_cache-64",
                "7 free kmem_cache-64", "8 free -", "10 free third"}));
  EXPECT_EQ(Lives.counts().Allocations, 4u);
  const EventSite &Site = Lives.sites()[0];
  EXPECT_EQ(Site.Address, 1u);
  EXPECT_TRUE(Site.Allocates);
}

TEST(KernelLives, CachesOfKmalloc) {
  struct Row {
    uint64_t Bytes, Flags;
    const char *Name;
  };
  for (const Row &R :
       {Row{96, 0, "kmalloc-96"}, Row{1024, 0xcc0, "kmalloc-1k"},
        Row{8192, 0x400cc0, "kmalloc-cg-8k"}, Row{64, 0x10, "kmalloc-rcl-64"},
        Row{64, 0x400011, "dma-kmalloc-64"}, Row{16384, 0, "pages"}}) {
    KernelRecord K = lifeOf(KernelRecord::Kmalloc, 1, Object);
    K.Bytes = R.Bytes;
    K.Flags = R.Flags;
    KernelLives Lives(0, 4096);
    linesOf({K}, Lives);
    ASSERT_EQ(Lives.caches().size(), 1u);
    EXPECT_EQ(Lives.caches()[0].Name, R.Name);
  }
}

KernelRecord largeOf(uint64_t Time, uint64_t Caller, uint32_t Task = 7) {
  KernelRecord R = lifeOf(KernelRecord::Kmalloc, Time, Object, Caller);
  R.Asked = 9000;
  R.Bytes = 16384;
  R.HasTask = true;
  R.Task = Task;
  return R;
}

TEST(KernelLives, LargeObjectsAreToldTwice) {
  KernelRecord Lost = largeOf(4, 2);
  Lost.LostBefore = 3;
  KernelRecord Irq = lifeOf(KernelRecord::Kmalloc, 2, Object + 1024);
  Irq.HasTask = true;
  Irq.Task = 7;
  Irq.Inside = KernelRecord::InHardirq;
  KernelRecord Other = largeOf(3, 2, 8);
  Other.Stream = 1;
  const std::vector<KernelRecord> R = {
      largeOf(1, 1), Irq,
      Other,         Lost,           // one object, and those of others
      largeOf(5, 1), largeOf(6, 2)}; // the next one, though no free is known
  KernelLives Lives(0, 4096);
  uint64_t Kept = 0;
  std::vector<uint64_t> Times;
  for (const KernelRecord &One : R)
    Lives.survey(One);
  Lives.finish();
  for (const KernelRecord &One : R)
    Lives.convert(One, [&](const TraceEvent &E) {
      if (E.Kind == EventKind::Alloc)
        Times.push_back(E.Time);
      Kept += E.LostBefore;
    });
  EXPECT_EQ(Times, (std::vector<uint64_t>{2, 3, 4, 6}));
  EXPECT_EQ(Lives.counts().Allocations, 4u);
  EXPECT_EQ(Kept, 3u);
}

TEST(KernelLives, LargeObjectsThatAreTwo) {
  KernelRecord Free = lifeOf(KernelRecord::Kfree, 2, Object);
  Free.HasTask = true;
  Free.Task = 7;
  KernelRecord Small = largeOf(3, 2);
  Small.Bytes = 8192;
  KernelRecord Failed = largeOf(3, 2);
  Failed.Address = 0;
  for (const std::vector<KernelRecord> &R :
       std::vector<std::vector<KernelRecord>>{
           {largeOf(1, 1), Free, largeOf(3, 2)},
           {largeOf(1, 1), largeOf(3, 1)}, // of one caller
           {largeOf(1, 1), largeOf(3, 2, 8)},
           {largeOf(1, 1), Small}}) {
    KernelLives Lives(0, 4096);
    linesOf(R, Lives);
    EXPECT_EQ(Lives.counts().Allocations, 2u);
  }
  KernelLives Lives(0, 4096);
  linesOf({Failed, Failed}, Lives);
  EXPECT_EQ(Lives.counts().Allocations, 0u);
}

TEST(KernelLives, SlabsTellWhereTheDirectMapIs) {
  KernelRecord Page;
  Page.What = KernelRecord::PageAlloc;
  Page.Time = 1;
  Page.Page = 0x40001;
  Page.Order = 1;
  KernelRecord Free = Page, Batched = Page;
  Free.What = KernelRecord::PageFree;
  Free.Time = 3;
  Batched.What = KernelRecord::PageFreeBatched;
  Batched.Time = 4;
  Batched.Order = 0;
  KernelLives Lives(0, 4096);
  EXPECT_EQ(linesOf({Page, lifeOf(KernelRecord::Kmalloc, 2, Object + 4096),
                     Free, Batched},
                    Lives),
            (std::vector<std::string>{"1 page-alloc 262145 8192",
                                      "2 alloc kmalloc-64",
                                      "3 page-free 262145 8192"}));
  EXPECT_EQ(Lives.directMap(), 0xffff900000000000u);
  EXPECT_EQ(Lives.directMapVotes(), 1u);
  // Where only the batched event was recorded it is the free.
  KernelLives Alone(0, 4096);
  EXPECT_EQ(linesOf({Page, Batched}, Alone).back(), "4 page-free 262145 4096");
  EXPECT_EQ(Alone.directMap(), 0xffff888000000000u);
  EXPECT_EQ(Alone.directMapVotes(), 0u);
  KernelLives Given(0xffff800000000000, 4096);
  linesOf({Page, lifeOf(KernelRecord::Kmalloc, 2, Object)}, Given);
  EXPECT_EQ(Given.directMap(), 0xffff800000000000u);
  KernelLives Wide(0, 4096); // five levels of page tables
  linesOf({Page, lifeOf(KernelRecord::Kmalloc, 2, 0xff11000000100000)}, Wide);
  EXPECT_EQ(Wide.directMap(), 0xff11000000000000u);
  EXPECT_EQ(Wide.directMapVotes(), 0u);
  Page.Page = ~uint64_t(0); // an allocation that failed
  KernelLives Failed(0, 4096);
  EXPECT_TRUE(linesOf({Page}, Failed).empty());
}

TEST(KernelLives, ContextsOfEvents) {
  KernelRecord Free = lifeOf(KernelRecord::Kfree, 1, Object);
  Free.HasTask = true;
  Free.Task = 7;
  Free.Inside = KernelRecord::InSoftirq;
  KernelRecord Same = Free, Out = Free, Switch, Call;
  Same.Time = 2;
  Out.Time = 3;
  Out.Inside = 0;
  Switch.What = KernelRecord::Switch;
  Switch.Time = 4;
  Switch.Number = 8;
  Call.What = KernelRecord::CallIn;
  Call.Time = 5;
  Call.Number = 39;
  KernelLives Lives(0, 4096);
  EXPECT_EQ(linesOf({Free, Same, Out, Switch, Call}, Lives),
            (std::vector<std::string>{
                "1 context 0 7 in", "1 context 1 0 in", "1 free -", "2 free -",
                "3 context 1 0 out", "3 free -", "4 context 0 8 in",
                "5 context 4 39 in"}));
}

TEST(KernelLives, LossesAreKept) {
  KernelRecord Gap, Free = lifeOf(KernelRecord::Kfree, 2, Object);
  Gap.LostBefore = 5;
  Free.LostBefore = 2;
  KernelLives Lives(0, 4096);
  for (const KernelRecord &R : {Gap, Free, Gap})
    Lives.survey(R);
  Lives.finish();
  uint64_t Lost = 0;
  for (const KernelRecord &R : {Gap, Free, Gap})
    Lives.convert(R, [&](const TraceEvent &E) { Lost += E.LostBefore; });
  EXPECT_EQ(Lost, 7u);
  EXPECT_EQ(Lives.lostAtEnd(), (std::map<uint32_t, uint64_t>{{0, 5}}));
  EXPECT_EQ(Lives.counts().Lost, 12u);
}

std::string realFile(const std::string &Name) {
  std::ifstream In(std::string(KST_TEST_INPUTS) + "/recordings/" + Name,
                   std::ios::binary);
  return {std::istreambuf_iterator<char>(In), {}};
}

/// Recorded in QEMU; the numbers are those of `trace-cmd report` and
/// `perf script`.
TEST(RealRecordings, AreReadToTheLastEvent) {
  const std::string Dat = realFile("kmem.dat"), Data = realFile("kmem.data"),
                    Faults = realFile("faults.data");
  auto Count = [](const Walked &W) {
    std::map<int, size_t> Out;
    for (const KernelRecord &R : W.Records)
      ++Out[R.What];
    return Out;
  };
  Walked W = walk(openTraceDat(Dat));
  EXPECT_EQ(W.Failure + W.Notes.Damage, "");
  EXPECT_EQ(Count(W), (std::map<int, size_t>{{KernelRecord::CacheAlloc, 62},
                                             {KernelRecord::CacheFree, 175}}));
  W = walkPerf(Data);
  EXPECT_EQ(W.Failure + W.Notes.Damage, "");
  EXPECT_EQ(Count(W), (std::map<int, size_t>{{KernelRecord::CacheAlloc, 40},
                                             {KernelRecord::CacheFree, 10}}));
  W = walkPerf(Faults);
  EXPECT_EQ(W.Failure + W.Notes.Damage, "");
  EXPECT_EQ(Count(W), (std::map<int, size_t>{{KernelRecord::Other, 16},
                                             {KernelRecord::Sample, 23}}));
}

} // namespace
