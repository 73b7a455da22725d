// SPDX-License-Identifier: GPL-2.0-or-later

#include "../import/SmallTable.h"
#include "../profile/SmallProfile.h"

#include "hybrid/import/RawTrace.h"
#include "hybrid/import/TraceJoin.h"
#include "hybrid/trace/TraceReader.h"
#include "hybrid/trace/TraceWriter.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>

using namespace kst;
using kst_test::RawEvents;
using kst_test::Table;

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

std::string traceOf(const std::vector<TraceEvent> &Events,
                    const std::vector<TraceObject> &Objects = {}) {
  Written Out;
  TraceWriter To(Out.sink());
  for (const TraceEvent &E : Events)
    To.event(E);
  EXPECT_TRUE(To.finish(smallProfile(), Objects));
  return Out.Bytes;
}

/// All events, or none if the trace is damaged.
std::vector<TraceEvent> read(std::string_view Bytes) {
  auto Trace = TraceReader::open(Bytes);
  if (!Trace)
    return {};
  std::vector<TraceEvent> Out;
  for (TraceEvent E; Trace->next(E);)
    Out.push_back(E);
  if (Trace->failure())
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
  EXPECT_LT(Bytes.size(), Events.size() * 7); // of 16 in the raw trace
  auto Trace = TraceReader::open(Bytes);
  ASSERT_TRUE(Trace);
  EXPECT_EQ(Trace->streams(), 5u);
  EXPECT_TRUE(Trace->about() == smallProfile());
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

TEST(TraceFile, PlacesBySiteOrByAddress) {
  // Two rings of 64 bytes behind one another, of CPU 3; sites: by what
  // smallProfile() has.
  Profile P = smallProfile();
  uint32_t Ring = 0, Unsited = 0, Sited = 0;
  for (uint32_t I = 0; I < P.Structs.size(); ++I)
    if (P.text(P.Structs[I].Name) == "ring")
      Ring = I;
  for (uint32_t I = 0; I < P.Sites.size(); ++I)
    if (P.Sites[I].Struct == Ring && P.Sites[I].OffsetBytes == 12)
      Sited = I;
  MeasuredSite ByAddress;
  ByAddress.Kind = SiteKind::ByAddressRead;
  P.Sites.push_back(ByAddress);
  Unsited = static_cast<uint32_t>(P.Sites.size() - 1);
  Written Out;
  TraceWriter To(Out.sink());
  To.event({1, 5012, 0, Sited, 0});
  To.event({2, 1012, 0, Sited, 0});
  To.event({3, 1064 + 9, 0, Unsited, 0});
  To.event({4, 1128, 0, Unsited, 0});
  To.event({5, 999, 0, Unsited, 0});
  EXPECT_TRUE(To.finish(P, {{1000, 64, 2, Ring, 3}}));
  auto Trace = TraceReader::open(Out.Bytes);
  ASSERT_TRUE(Trace) << Trace.error();
  auto Next = [&] {
    TraceEvent E;
    EXPECT_TRUE(Trace->next(E));
    return Trace->place(E);
  };
  TracePlace At = Next();
  EXPECT_EQ(At.Struct, Ring);
  EXPECT_EQ(At.Object, 5000u);
  EXPECT_EQ(At.Cpu, NoCpu);
  At = Next();
  EXPECT_EQ(At.Object, 1000u);
  EXPECT_EQ(At.Cpu, 3u);
  At = Next();
  EXPECT_EQ(At.Struct, Ring);
  EXPECT_EQ(At.OffsetBytes, 9u);
  EXPECT_EQ(At.Object, 1064u);
  EXPECT_EQ(At.Cpu, 3u);
  EXPECT_EQ(Next().Struct, NoStruct); // behind the second
  EXPECT_EQ(Next().Struct, NoStruct); // before the first
}

TEST(TraceFile, EveryDamagedByteIsNoticed) {
  const std::string Good = traceOf(someEvents(500, 3), {{1000, 64, 2, 0, 3}});
  ASSERT_EQ(read(Good).size(), 500u);
  for (size_t I = 0; I < Good.size(); ++I) {
    std::string Bad = Good;
    Bad[I] ^= 0x41;
    EXPECT_TRUE(read(Bad).empty()) << "byte " << I;
  }
  for (size_t Length = 0; Length < Good.size(); ++Length)
    EXPECT_FALSE(TraceReader::open(Good.substr(0, Length))) << Length;
  EXPECT_FALSE(TraceReader::open(Good + std::string(8, '\0')));
}

/// Bytes with a checksum of the tables that fits.
std::string sealed(std::string Bytes) {
  size_t Foot = Bytes.size() - 32;
  uint64_t About;
  memcpy(&About, &Bytes[Foot], 8);
  if (About <= Foot) {
    uint64_t Sum =
        hash64(std::string_view(Bytes).substr(About, Foot + 16 - About));
    memcpy(&Bytes[Foot + 16], &Sum, 8);
  }
  return Bytes;
}

TEST(TraceFile, ForgedTablesFailOrGiveSaneEvents) {
  const std::string Good = traceOf(someEvents(300, 3), {{1000, 64, 2, 0, 3}});
  EXPECT_EQ(sealed(Good), Good);
  size_t Refused = 0, Read = 0;
  size_t From = 16;
  for (size_t I = From; I < Good.size(); ++I)
    for (int Value : {0x00, 0x01, 0x7f, 0xff}) {
      std::string Forged = Good;
      Forged[I] = static_cast<char>(Value);
      auto Trace = TraceReader::open(sealed(Forged));
      if (!Trace) {
        ++Refused;
        continue;
      }
      std::string Keep = sealed(Forged);
      Trace = TraceReader::open(Keep);
      for (TraceEvent E; Trace->next(E); ++Read) {
        ASSERT_LT(E.Site, Trace->about().Sites.size());
        TracePlace At = Trace->place(E);
        ASSERT_TRUE(At.Struct == NoStruct ||
                    At.Struct < Trace->about().Structs.size());
      }
    }
  EXPECT_GT(Refused, 100u);
  EXPECT_GT(Read, 1000u);
}

TEST(TraceFile, OthersAreNamed) {
  std::string Bytes = traceOf({});
  Bytes[8] = 9;
  EXPECT_EQ(TraceReader::open(Bytes).error(),
            "trace of version 9; this program reads version 1");
  EXPECT_EQ(TraceReader::open("{}").error(), "not a trace (.kstt)");
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
  EXPECT_EQ(Record(5, 8, 8),
            "raw trace is damaged at byte 16: a record of unknown kind 5");
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
  for (const Row &R : Wanted) {
    TraceEvent E;
    ASSERT_TRUE(Trace->next(E));
    TracePlace At = Trace->place(E);
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
