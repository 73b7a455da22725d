// SPDX-License-Identifier: GPL-2.0-or-later

#include "../import/SmallTable.h"
#include "SmallTrace.h"

#include "hybrid/import/RawTrace.h"
#include "hybrid/import/TraceJoin.h"
#include "hybrid/trace/LoadedImage.h"
#include "hybrid/trace/ObjectTable.h"
#include "hybrid/trace/TraceReader.h"
#include "hybrid/trace/TraceWriter.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>

using namespace kst;
using kst_test::RawEvents;
using kst_test::smallTables;
using kst_test::Table;
using kst_test::traceBytes;

namespace {

struct Written {
  std::string Bytes;
  TraceWriter::Sink sink() {
    return [this](std::string_view Part) {
      Bytes += Part;
      return true;
    };
  }
};

std::string traceOf(const std::vector<TraceEvent> &Events) {
  return traceBytes(smallTables(), Events);
}

/// All events, or none if the trace is damaged.
std::vector<TraceEvent> read(std::string_view Bytes) {
  auto Trace = TraceReader::open(Bytes);
  if (!Trace)
    return {};
  std::vector<TraceEvent> Out;
  for (TraceEvent E; Trace->next(E);)
    Out.push_back(E);
  if (Trace->failure() || !Trace->complete())
    return {};
  EXPECT_EQ(Out.size(), Trace->events());
  return Out;
}

/// Sites of smallProfile() are 0..2.
std::vector<TraceEvent> someEvents(size_t Count, uint32_t Streams) {
  std::mt19937_64 Random(7);
  std::vector<TraceEvent> Out;
  std::vector<uint64_t> Time(Streams, 1000);
  for (size_t I = 0; I < Count; ++I) {
    TraceEvent E;
    E.Stream = I / 100 % Streams;
    E.Time = Time[E.Stream] += Random() % 50;
    E.Address = 0xffff888000000000 + Random() % 4096;
    E.Site = Random() % 3;
    E.Access = Random() % 4;
    E.SizeBytes = Random() % 8 ? 1 << Random() % 4 : Random() % 1000;
    E.Index = Random() % 4 ? 0 : Random() % 500; // of an element
    if (Random() % 16 == 0) {
      E.Kind = static_cast<EventKind>(Random() % EventKinds);
      E.Info = static_cast<uint32_t>(Random());
      E.Value = Random();
      E.Index = Random() % 2 ? ~0ull : 1;
      if (Random() % 2)
        E.Site = NoTraceSite;
      E.Access = 0;
      if (E.Kind == EventKind::Access)
        E = Out.back();
    }
    Out.push_back(E);
  }
  return Out;
}

TEST(TraceFile, EventsComeBackByTime) {
  std::vector<TraceEvent> Events = someEvents(30000, 5);
  Events[12345].LostBefore = 77;
  Events[20000].Address = 0;
  Events[20001].Address = ~0ull;
  std::string Bytes = traceOf(Events);
  std::vector<TraceEvent> Found = read(Bytes);
  std::stable_sort(Events.begin(), Events.end(),
                   [](const TraceEvent &A, const TraceEvent &B) {
                     return std::tie(A.Time, A.Stream) <
                            std::tie(B.Time, B.Stream);
                   });
  EXPECT_TRUE(Found == Events);
  EXPECT_LT(Bytes.size(), Events.size() * 9); // of 56 in memory
  auto Trace = TraceReader::open(Bytes);
  ASSERT_TRUE(Trace);
  EXPECT_EQ(Trace->streams().size(), 5u);
  EXPECT_EQ(Trace->lost(), 77u);
  uint64_t Lost = 0, All = 0;
  for (const TraceStream &Of : Trace->streams()) {
    Lost += Of.Lost;
    All += Of.Events;
  }
  EXPECT_EQ(Lost, 77u);
  EXPECT_EQ(All, Events.size());
  EXPECT_TRUE(Trace->complete());
  EXPECT_TRUE(Trace->tables() == smallTables());
  EXPECT_TRUE(read(traceOf({})).empty());
}

TEST(TraceFile, AClockThatGoesBackKeepsTheOrderOfItsStream) {
  std::vector<TraceEvent> Found = read(traceOf({{100, 1, 0, 0, 0},
                                                {50, 2, 0, 1, 0},
                                                {120, 3, 0, 0, 0},
                                                {60, 4, 0, 0, 1},
                                                {110, 5, 0, 0, 1}}));
  std::vector<uint64_t> Addresses;
  for (const TraceEvent &E : Found)
    Addresses.push_back(E.Address);
  EXPECT_EQ(Addresses, (std::vector<uint64_t>{4, 1, 2, 5, 3}));
}

TEST(TraceFile, LossesAtTheEndOfAStreamCount) {
  Written Out;
  TraceWriter To(smallTables(), Out.sink());
  To.event({1, 2, 0, 0, 4});
  To.lost(4, 6);
  To.lost(9, 1);
  EXPECT_TRUE(To.finish());
  auto Trace = TraceReader::open(Out.Bytes);
  ASSERT_TRUE(Trace) << Trace.error();
  EXPECT_EQ(Trace->lost(), 7u);
  EXPECT_EQ(Trace->streams()[1].Stream, 9u);
  EXPECT_EQ(read(Out.Bytes).size(), 1u);
}

TEST(TraceFile, SitesAreFoundThroughTheirTable) {
  TraceTables T = smallTables();
  T.SiteOf = {2, 0};
  std::vector<TraceEvent> Found = read(traceBytes(T, {{1, 5}, {2, 5, 0, 1}}));
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_EQ(Found[0].Site, 2u);
  EXPECT_EQ(Found[1].Site, 0u);
  auto Trace = TraceReader::open(traceBytes(T, {{1, 5, 0, 2}}));
  TraceEvent E;
  EXPECT_FALSE(Trace->next(E));
  EXPECT_TRUE(Trace->failure());
}

TEST(TraceFile, AFileThatStopsAnywhereIsReadAsFarAsItIsWhole) {
  std::vector<TraceEvent> Events = someEvents(40000, 3);
  const std::string Good = traceOf(Events);
  size_t Most = 0, Cuts = 0;
  for (size_t Length = 0; Length < Good.size();
       Length += Length < 2000 ? 1 : 997, ++Cuts) {
    std::string Cut = Good.substr(0, Length);
    auto Trace = TraceReader::open(Cut);
    if (!Trace) {
      EXPECT_LT(Length, 2000u);
      EXPECT_TRUE(Length < 8 ||
                  Trace.error() == "trace is cut short before its tables end");
      continue;
    }
    EXPECT_FALSE(Trace->complete());
    size_t Count = 0;
    for (TraceEvent E; Trace->next(E);)
      ++Count;
    EXPECT_FALSE(Trace->failure()) << Length;
    EXPECT_EQ(Count, Trace->events());
    EXPECT_GE(Count, Most);
    Most = Count;
  }
  EXPECT_GT(Most, 20000u);
}

TEST(TraceFile, EveryDamagedByteIsNoticed) {
  const std::string Good = traceOf(someEvents(500, 3));
  ASSERT_EQ(read(Good).size(), 500u);
  for (size_t I = 0; I < Good.size(); ++I) {
    std::string Bad = Good;
    Bad[I] ^= 0x41;
    EXPECT_TRUE(read(Bad).empty()) << "byte " << I;
  }
  EXPECT_FALSE(TraceReader::open(Good + std::string(8, '\0')));
}

TEST(TraceFile, TablesThatLeadOutsideAreRefused) {
  auto Error = [](auto Change) {
    TraceTables T = smallTables();
    Change(T);
    return TraceReader::open(traceBytes(T, {})).error();
  };
  EXPECT_EQ(Error([](TraceTables &) {}), "");
  EXPECT_EQ(Error([](TraceTables &T) { T.Objects[0].Struct = 2; }),
            "trace is damaged: an object is wrong");
  EXPECT_EQ(Error([](TraceTables &T) { T.Objects.push_back({1, 8, 1, 0}); }),
            "trace is damaged: objects are not sorted");
  EXPECT_EQ(Error([](TraceTables &T) { T.Allocators[0].Struct = 2; }),
            "trace is damaged: an allocator is wrong");
  EXPECT_EQ(Error([](TraceTables &T) { T.SiteOf = {3}; }),
            "trace is damaged: a site is wrong");
  EXPECT_EQ(Error([](TraceTables &T) { T.Allocates = {0, 0, 0, 0}; }),
            "trace is damaged: a table is longer than what it is about");
  EXPECT_EQ(Error([](TraceTables &T) { T.Allocates = {7}; }),
            "trace is damaged: a site allocates no struct that is known");
}

TEST(TraceFile, OthersAreNamed) {
  std::string Bytes = traceOf({});
  EXPECT_EQ(Bytes[8], 3);
  Bytes[8] = 9;
  EXPECT_EQ(TraceReader::open(Bytes).error(),
            "trace of version 9; this program reads versions up to 3: a newer "
            "kstatic-affinity wrote it");
  Bytes[8] = 1;
  EXPECT_EQ(TraceReader::open(Bytes).error(),
            "trace of version 1; this program reads versions 2 to 3: make it "
            "again with `kstatic-affinity trace import`");
  Bytes[8] = 2; // the same without what is new in 3
  EXPECT_TRUE(TraceReader::open(Bytes));
  EXPECT_EQ(TraceReader::open("{}").error(), "not a trace (.kstt)");
}

TEST(LoadedImage, IsFoundByPathOrByItsNameAlone) {
  Profile About;
  const LoadedImage Program{0x5000, 0x9000, 0x5000}, Library{0x70, 0x90, 0x60},
      Other{0xa0, 0xb0, 0x90};
  About.Text[imageKey("/build/bin/server")] = imageText(Program);
  About.Text[imageKey("/usr/lib/libx.so")] = imageText(Library);
  EXPECT_EQ(loadedImage(About, "/build/bin/server"), Program);
  EXPECT_EQ(loadedImage(About, "elsewhere/libx.so"), Library);
  EXPECT_EQ(loadedImage(About, "libx"), std::nullopt);
  // Two of that name: only the path tells.
  About.Text[imageKey("/opt/libx.so")] = imageText(Other);
  EXPECT_EQ(loadedImage(About, "elsewhere/libx.so"), std::nullopt);
  EXPECT_EQ(loadedImage(About, "/opt/libx.so"), Other);
  About.Text[imageKey("/opt/liby.so")] = "0x12";
  EXPECT_EQ(loadedImage(About, "/opt/liby.so"), std::nullopt);
}

TEST(LoadedImage, PlacesThatSeveralFilesHadAreOfNone) {
  LoadedImages All;
  All.add("/a", {0x1000, 0x2000, 0x1000});
  All.add("/a", {0x1000, 0x2000, 0x1000}); // seen again
  All.add("/twice", {0x3000, 0x4000, 0x3000});
  All.add("/twice", {0x5000, 0x6000, 0x5000});
  All.add("/closed", {0x7000, 0x9000, 0x7000});
  All.add("/behind", {0x8000, 0xa000, 0x8000});
  std::map<std::string, std::string> Text;
  All.write(Text);
  EXPECT_EQ(Text, (std::map<std::string, std::string>{
                      {"image /a", "0x1000 0x2000 0x1000"}}));
}

TEST(RawTrace, DamageIsNamed) {
  Table T = kst_test::smallTable();
  const std::string Good = kst_test::smallTrace(T).whole();
  auto Walk = [](const std::string &Bytes) -> std::string {
    auto Trace = RawTrace::open(Bytes);
    if (!Trace)
      return Trace.error();
    for (RawTraceRecord R; Trace->next(R);) {
    }
    return Trace->failure() ? Trace->failure()->Message : "";
  };
  EXPECT_EQ(Walk(Good), "");
  EXPECT_EQ(Walk(""), "not a raw trace");
  EXPECT_EQ(Walk(RawEvents("").whole()), ""); // nothing was traced
  size_t AtBorders = 0;
  for (size_t Length = 8; Length < Good.size(); ++Length) {
    std::string Why = Walk(Good.substr(0, Length));
    EXPECT_NE(Why.find("cut short"), std::string::npos) << Length << Why;
    AtBorders += Why.find("no end record") != std::string::npos;
  }
  EXPECT_EQ(AtBorders, 8u); // behind the header and each of 7 records
  for (size_t Length = 0; Length < 8; ++Length)
    EXPECT_EQ(Walk(Good.substr(0, Length)), "not a raw trace");
  EXPECT_EQ(Walk(Good + Good), "raw trace is damaged at byte " +
                                   std::to_string(Good.size() - 24) +
                                   ": bytes behind the end record");
  std::string Old = Good;
  Old[8] = 1;
  EXPECT_NE(Walk(Old).find("count again"), std::string::npos);
  auto Record = [&](uint32_t Kind, uint64_t Size, size_t Bytes) {
    RawEvents Out("");
    Out.begin(Kind, 0, Size).Bytes += std::string(Bytes, '\0');
    return Walk(Out.Bytes);
  };
  EXPECT_EQ(Record(8, 8, 8),
            "raw trace is damaged at byte 16: a record of unknown kind 8");
  EXPECT_EQ(Record(7, 8, 8),
            "raw trace is damaged at byte 16: an image of wrong size");
  EXPECT_EQ(Record(7, 32, 32), "raw trace is damaged at byte 16: an image "
                               "without addresses or name");
  EXPECT_EQ(Record(5, 16, 16),
            "raw trace is damaged at byte 16: events of wrong size");
  EXPECT_EQ(Record(6, 8, 8),
            "raw trace is damaged at byte 16: a cache of wrong size");
  EXPECT_EQ(Record(6, 24, 24),
            "raw trace is damaged at byte 16: a cache without a size or name");
  EXPECT_EQ(Record(4, 16, 16),
            "raw trace is damaged at byte 16: an end record of wrong size");
  EXPECT_EQ(Record(4, 8, 8),
            "raw trace is damaged at byte 16: the end record is that of a file "
            "with 0 bytes before it: a part is missing or was put in");
  EXPECT_EQ(Record(1, 8, 8),
            "raw trace is damaged at byte 16: a unit of wrong size");
  EXPECT_EQ(Record(2, 16, 16),
            "raw trace is damaged at byte 16: events of wrong size");
  EXPECT_EQ(Record(3, 16, 16),
            "raw trace is damaged at byte 16: an object of wrong size");
  EXPECT_EQ(Record(3, 32, 32), "raw trace is damaged at byte 16: an object "
                               "without a size, number or struct");
  EXPECT_NE(Record(2, ~7ull, 8).find("cut short"), std::string::npos);
}

TEST(TraceJoin, EventsFindTheirSites) {
  Table T = kst_test::smallTable();
  Written Out;
  auto Tables = readCounterTables(T.blob());
  ASSERT_TRUE(Tables);
  auto Notes =
      joinTrace(kst_test::smallTrace(T).whole(), *Tables, "mine", Out.sink());
  ASSERT_TRUE(Notes) << Notes.error();
  EXPECT_EQ(Notes->Events, 6u);
  EXPECT_EQ(Notes->Lost, 5u);
  EXPECT_EQ(Notes->Unknown, 1u);
  EXPECT_EQ(Notes->Streams, 2u);
  EXPECT_EQ(Notes->UnitsWithoutTable, 1u);
  auto Trace = TraceReader::open(Out.Bytes);
  ASSERT_TRUE(Trace) << Trace.error();
  const Profile &P = Trace->about();
  EXPECT_EQ(P.Text.at("label"), "mine");
  EXPECT_EQ(P.Lost, 6u);
  EXPECT_EQ(Trace->lost(), 6u);
  struct Row {
    uint64_t Time;
    uint32_t Stream, Line, Offset;
    uint64_t Lost, Object;
  };
  const uint64_t Ring = 0xffff888000001000;
  const Row Wanted[] = {
      {1000, 0, 11, 0, 0, Ring},      {1003, 1, 14, 8, 0, Ring + 16},
      {1010, 0, 12, 8, 0, Ring},      {1005, 0, 13, 12, 0, Ring},
      {1020, 1, 11, 0, 6, Ring + 16}, {1ull << 55, 0, 11, 0, 0, Ring}};
  ObjectTable Objects(Trace->tables());
  for (const Row &R : Wanted) {
    TraceEvent E;
    ASSERT_TRUE(Trace->next(E));
    TracePlace At = Objects.place(E);
    EXPECT_EQ(E.Time, R.Time);
    EXPECT_EQ(E.Stream, R.Stream);
    EXPECT_EQ(E.LostBefore, R.Lost);
    EXPECT_EQ(P.Sites[E.Site].Line, R.Line);
    EXPECT_EQ(At.OffsetBytes, R.Offset);
    EXPECT_EQ(At.Object, R.Object);
    EXPECT_EQ(At.Cpu, 0u);
  }
  uint64_t InSites = 0;
  for (const MeasuredSite &S : P.Sites)
    InSites += S.Count;
  EXPECT_EQ(InSites, 6u);
}

TEST(TraceJoin, RefusesWhatDoesNotFit) {
  Table T = kst_test::smallTable();
  auto Tables = readCounterTables(T.blob());
  ASSERT_TRUE(Tables);
  auto Error = [&](const RawEvents &Raw) {
    Written Out;
    return joinTrace(Raw.whole(), *Tables, "", Out.sink()).error();
  };
  EXPECT_EQ(Error(kst_test::smallTrace(kst_test::otherTable())),
            "none of 2 units with events is among the 1 tables: the program "
            "that ran is not the one given");
  EXPECT_EQ(Error(RawEvents("").unit(T.hash(), 1, 5)),
            "unit ring.c has 5 sites in the raw trace, 6 in its table");
  EXPECT_EQ(Error(RawEvents("").unit(T.hash(), 1, 6).unit(3, 4, 5)),
            "raw trace is damaged: two units have the same sites");
  EXPECT_EQ(Error(RawEvents("").unit(T.hash(), 1 << 24, 6)),
            "raw trace is damaged: sites beyond 2^24");
  EXPECT_EQ(Error(RawEvents("").events(0, ~0ull, {}).events(0, 1, {})),
            "raw trace is damaged: losses do not fit 64 bits");
  auto Full = joinTrace(kst_test::smallTrace(T).whole(), *Tables, "",
                        [](std::string_view) { return false; });
  EXPECT_EQ(Full.error(), "the trace could not be written");
}

// Bar: windows over 50 million events within 60 s on one core. Reading is a
// small part of that: here 4 million of 8 streams.
TEST(TraceFile, ReadingIsFast) {
  constexpr size_t Count = 4000000;
  std::string Bytes = traceOf(someEvents(Count, 8));
  clock_t Begin = clock();
  auto Trace = TraceReader::open(Bytes);
  ASSERT_TRUE(Trace);
  uint64_t Sum = 0;
  for (TraceEvent E; Trace->next(E);)
    Sum += E.Address;
  double Took = static_cast<double>(clock() - Begin) / CLOCKS_PER_SEC;
  printf("%.1f million events per second, %.2f bytes each\n",
         Count / Took / 1e6, double(Bytes.size()) / Count);
  EXPECT_NE(Sum, 0u);
  EXPECT_LT(Took, 20);
}

} // namespace
