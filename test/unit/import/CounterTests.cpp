// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables and raw counters, read and joined.

#include "SmallTable.h"

#include "hybrid/import/CounterJoin.h"
#include "hybrid/profile/ProfileCheck.h"

#include <gtest/gtest.h>

using namespace kst;
using kst_test::Raw;
using kst_test::Table;

namespace {

std::vector<CounterTable> tables(const std::string &Section) {
  auto Read = readCounterTables(Section);
  EXPECT_TRUE(Read) << Read.error();
  return Read ? std::move(*Read) : std::vector<CounterTable>();
}

JoinedCounters joined(const Raw &From, const std::vector<CounterTable> &With) {
  auto Counters = readRawCounters(From.whole());
  EXPECT_TRUE(Counters) << Counters.error();
  auto Made = joinCounters(*Counters, With);
  EXPECT_TRUE(Made) << Made.error();
  if (!Made)
    return {};
  EXPECT_FALSE(checkProfile(Made->What));
  return *Made;
}

const MeasuredSite &siteAt(const Profile &P, uint32_t Line) {
  for (const MeasuredSite &S : P.Sites)
    if (S.Line == Line)
      return S;
  ADD_FAILURE() << "no site in line " << Line;
  return P.Sites[0];
}

TEST(CounterTable, ReadsAllBlobsOfASection) {
  std::string Section = std::string(16, '\0') + kst_test::smallTable().blob() +
                        std::string(24, '\0') + kst_test::otherTable().blob() +
                        std::string(8, '\0');
  auto All = tables(Section);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].Hash, kst_test::smallTable().hash());
  EXPECT_STREQ(All[0].text(All[0].MainFile), "ring.c");
  EXPECT_EQ(All[0].Sites.size(), 6u);
  EXPECT_EQ(All[0].Sites[3].first_bit, 3);
  EXPECT_EQ(All[0].Sites[3].bits, 5);
  EXPECT_EQ(All[0].Sites[2].kind, 1);
  EXPECT_EQ(All[0].Sites[2].marks, 1);
  EXPECT_EQ(All[0].Terms[3].factor, -1);
  EXPECT_EQ(All[1].Counters, 4u);
  EXPECT_TRUE(tables("").empty());
  EXPECT_TRUE(tables(std::string(40, '\0')).empty());
}

TEST(CounterTable, DamageIsNoticed) {
  const std::string Good = kst_test::smallTable().blob();
  for (size_t I = 0; I < Good.size(); ++I)
    for (int Flip : {0x01, 0x80}) {
      std::string Bad = Good;
      Bad[I] ^= Flip;
      EXPECT_FALSE(readCounterTables(Bad)) << "byte " << I;
    }
  for (size_t Length = 1; Length < Good.size(); ++Length)
    EXPECT_FALSE(readCounterTables(Good.substr(0, Length))) << Length;
  EXPECT_NE(readCounterTables(Good + "x")
                .error()
                .find("at byte " + std::to_string(Good.size())),
            std::string::npos);
}

// A hash that fits says nothing about the numbers.
TEST(CounterTable, WrongNumbersAreNamed) {
  struct Case {
    const char *Complaint;
    std::function<void(Table &)> Break;
  };
  const Case Cases[] = {
      {"main file", [](Table &T) { T.MainFile = 1000; }},
      {"texts", [](Table &T) { T.Strings += "x"; }},
      {"struct", [](Table &T) { T.Structs[0][0] = 1000; }},
      {"struct", [](Table &T) { T.Structs[0][2] = 1; }},
      {"struct", [](Table &T) { T.Structs[0][3] = ~0u; }},
      {"struct", [](Table &T) { T.Structs.push_back(T.Structs[0]); }},
      {"function", [](Table &T) { T.Functions[1][0] = 1000; }},
      {"function", [](Table &T) { T.Functions[1][1] = 1000; }},
      {"site", [](Table &T) { T.Sites[1][0] = 1; }},
      {"site", [](Table &T) { T.Sites[1][1] = 2; }},
      {"site", [](Table &T) { T.Sites[1][2] = 1000; }},
      {"site", [](Table &T) { T.Sites[1][8] = 10; }},
      {"region", [](Table &T) { T.Regions[1][0] = 2; }},
      {"region", [](Table &T) { T.Regions[1][1] = ~0u; }},
      {"region", [](Table &T) { T.Regions[1][2] = 4; }},
      {"region", [](Table &T) { T.Regions[1][4] = 4; }},
      {"region", [](Table &T) { T.Regions.push_back(T.Regions[0]); }},
      {"reference", [](Table &T) { T.References[1][0] = 6; }},
      {"reference", [](Table &T) { T.References[1][1] = 0; }},
      {"term", [](Table &T) { T.Terms[0][0] = 3; }},
      {"term", [](Table &T) { T.Terms[0][1] = 2; }},
  };
  for (size_t I = 0; I < std::size(Cases); ++I) {
    Table T = kst_test::smallTable();
    Cases[I].Break(T);
    auto Read = readCounterTables(T.blob());
    ASSERT_FALSE(Read) << "case " << I;
    EXPECT_NE(Read.error().find(Cases[I].Complaint), std::string::npos)
        << "case " << I << ": " << Read.error();
  }
}

TEST(CounterTable, HugeCountsDoNotAllocate) {
  std::string Bytes = kst_test::smallTable().blob();
  for (size_t At = 24; At < 64; At += 4) {
    std::string Bad = Bytes;
    uint32_t Huge = ~0u;
    memcpy(&Bad[At], &Huge, 4);
    uint64_t Hash = hash64(std::string_view(Bad).substr(24));
    memcpy(&Bad[16], &Hash, 8);
    auto Read = readCounterTables(Bad);
    // Counters are bounded by nothing in the table itself.
    EXPECT_EQ(bool(Read), At == 24) << At;
  }
}

TEST(RawCounters, RecordsAddUp) {
  Raw From("label=x=y\n\nsource=kernel");
  From.record(7, 0, {1, 2}).record(8, 0, {5}).record(7, 0, {10, 20});
  From.record(7, 1, {3}).record(9, 0, {});
  auto Read = readRawCounters(From.whole());
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(Read->Text.at("label"), "x=y");
  EXPECT_EQ(Read->Text.size(), 2u);
  EXPECT_EQ(Read->Units.at(7), (std::vector<uint64_t>{11, 22}));
  EXPECT_EQ(Read->Units.at(8), (std::vector<uint64_t>{5}));
  EXPECT_EQ(Read->Objects.at(7), (std::vector<uint64_t>{3}));
}

TEST(RawCounters, DamageIsNamed) {
  auto Error = [](const std::string &Bytes) {
    auto Read = readRawCounters(Bytes);
    EXPECT_FALSE(Read);
    return Read.error();
  };
  Raw Good("a=b\n");
  Good.record(7, 0, {1, 2});
  EXPECT_EQ(Error("KSTEVENT"), "not raw counters");
  EXPECT_EQ(Error(""), "not raw counters");
  std::string Other = Good.whole();
  Other[8] = 3;
  EXPECT_EQ(Error(Other),
            "raw counters of version 3; this program reads version 2");
  Other[8] = 1;
  EXPECT_EQ(Error(Other),
            "raw counters of version 1: made by an older runtime, whose files "
            "do not tell whether they are whole; build with this version's "
            "pass and runtime, and count again");
  EXPECT_EQ(Error(Raw("no key").Bytes),
            "raw counters are damaged: the text has a line that is not "
            "key=value");
  EXPECT_EQ(Error(Raw("").record(7, 4, {1}).Bytes),
            "raw counters are damaged at byte 16: a record of unknown kind 4");
  EXPECT_EQ(Error(Raw("").record(7, 0, {1}).record(7, 0, {1, 2}).Bytes),
            "raw counters are damaged at byte 40: a record of other size than "
            "an earlier one of its hash");
  EXPECT_EQ(Error(Raw("").record(7, 0, {~0ull}).record(7, 0, {1}).Bytes),
            "raw counters are damaged at byte 40: a sum of counters that does "
            "not fit 64 bits");
  EXPECT_EQ(Error(Raw("").record(16, 2, {1}).Bytes),
            "raw counters are damaged at byte 16: an end record with counters");
  EXPECT_EQ(Error(Raw("").record(24, 2, {}).Bytes),
            "raw counters are damaged at byte 16: the end record is that of a "
            "file with 24 bytes before it: a part is missing or was put in");
  EXPECT_EQ(Error(Good.whole() + '\0'),
            "raw counters are damaged at byte 56: bytes behind the end record");
  std::string Huge = Raw("").record(7, 0, {1}).Bytes;
  uint32_t Count = ~0u;
  memcpy(&Huge[24], &Count, 4);
  EXPECT_NE(Error(Huge).find("4294967295 counters is cut short"),
            std::string::npos);
  memcpy(&Huge[12], &Count, 4);
  EXPECT_NE(Error(Huge).find("text of the header"), std::string::npos);
}

// Wherever a file is cut, also between two records.
TEST(RawCounters, EveryPrefixIsRefused) {
  const std::string Good =
      Raw("a=b\n").record(7, 0, {1, 2}).record(9, 1, {3}).whole();
  EXPECT_TRUE(readRawCounters(Good));
  EXPECT_TRUE(readRawCounters(Raw("").whole())); // nothing was counted
  size_t AtBorders = 0;
  for (size_t Length = 8; Length < Good.size(); ++Length) {
    auto Read = readRawCounters(std::string_view(Good).substr(0, Length));
    ASSERT_FALSE(Read) << Length;
    EXPECT_NE(Read.error().find("cut short"), std::string::npos)
        << Length << ": " << Read.error();
    AtBorders += Read.error().find("no end record") != std::string::npos;
  }
  EXPECT_EQ(AtBorders, 3u);
  for (size_t Length = 0; Length < 8; ++Length)
    EXPECT_EQ(readRawCounters(Good.substr(0, Length)).error(),
              "not raw counters");
}

TEST(CounterJoin, CountsFollowTheTerms) {
  Table T = kst_test::smallTable();
  Raw From("release=6.12\nduration_ns=1500000000\nlost_objects=2\n");
  From.record(T.hash(), 0, {100, 30, 0});
  JoinedCounters Made = joined(From, tables(T.blob()));
  const Profile &P = Made.What;
  EXPECT_EQ(Made.Notes.UnitsJoined, 1u);
  EXPECT_EQ(siteAt(P, 10).Count, 100u); // entry
  EXPECT_EQ(siteAt(P, 11).Count, 100u);
  EXPECT_EQ(siteAt(P, 12).Count, 60u); // twice per region
  EXPECT_EQ(siteAt(P, 13).Count, 30u);
  EXPECT_EQ(siteAt(P, 14).Count, 70u); // 100 - 30
  EXPECT_EQ(siteAt(P, 91).Count, 0u);
  EXPECT_EQ(P.Regions.size(), 3u);
  EXPECT_EQ(P.DurationNs, 1500000000u);
  EXPECT_EQ(P.Lost, 2u);
  EXPECT_EQ(P.Text, (std::map<std::string, std::string>{{"release", "6.12"}}));
  ASSERT_EQ(P.NotCounted.size(), 1u);
  EXPECT_EQ(P.text(P.NotCounted[0].Function), "entry_stub");
  ASSERT_EQ(P.Structs.size(), 1u);
  EXPECT_EQ(P.elements(P.Structs[0]).size(), 3u);
}

TEST(CounterJoin, UnitsOfOneHeaderAddUp) {
  Table A = kst_test::smallTable(), B = kst_test::otherTable();
  Raw From("");
  From.record(A.hash(), 0, {100, 30, 0}).record(B.hash(), 0, {5, 1, 0, 9});
  // The same table twice: a program and its object file.
  JoinedCounters Made = joined(From, tables(A.blob() + B.blob() + A.blob()));
  const Profile &P = Made.What;
  EXPECT_EQ(Made.Notes.UnitsJoined, 2u);
  EXPECT_EQ(siteAt(P, 11).Count, 105u);
  EXPECT_EQ(siteAt(P, 14).Count, 74u);
  EXPECT_EQ(siteAt(P, 91).Count, 9u);
  EXPECT_TRUE(P.NotCounted.empty()); // B counts entry_stub
  EXPECT_EQ(P.Structs.size(), 1u);
  EXPECT_EQ(P.Sites.size(), 6u);
}

TEST(CounterJoin, BelowZeroIsZeroAndCounted) {
  Table T = kst_test::smallTable();
  Raw From("");
  From.record(T.hash(), 0, {30, 31, 0});
  JoinedCounters Made = joined(From, tables(T.blob()));
  EXPECT_EQ(Made.Notes.NegativeRegions, 1u);
  EXPECT_EQ(siteAt(Made.What, 14).Count, 0u);
}

TEST(CounterJoin, TablesWithoutCountersAreZeros) {
  Table Ran = kst_test::smallTable(), Idle = kst_test::otherTable();
  Idle.Functions[1][0] = Idle.text("idle"); // not in the unit that ran
  Raw From("");
  From.record(Ran.hash(), 0, {100, 30, 0});
  JoinedCounters Made = joined(From, tables(Ran.blob() + Idle.blob()));
  EXPECT_EQ(Made.Notes.UnitsJoined, 1u);
  EXPECT_EQ(Made.Notes.TablesWithoutCounters, 1u);
  bool Seen = false;
  for (const MeasuredSite &S : Made.What.Sites)
    if (Made.What.text(S.Function) == "idle") {
      Seen = true;
      EXPECT_EQ(S.Count, 0u);
    }
  EXPECT_TRUE(Seen);
  // It was counted: that it never ran is known.
  for (const SourceFunction &F : Made.What.NotCounted)
    EXPECT_NE(Made.What.text(F.Function), "idle");
  EXPECT_EQ(siteAt(Made.What, 11).Count, 100u);
  // A program that ran none of its counted code.
  EXPECT_EQ(joined(Raw(""), tables(Ran.blob())).What.Sites.size(), 6u);
}

TEST(CounterJoin, ThreadsAreToldApart) {
  Table T = kst_test::smallTable();
  auto Use = [&](const Raw &From) {
    return joined(From, tables(T.blob())).What.Threads;
  };
  // Reads of 0, two writes of 8, bits written, reads of 8: 100 + 60 + 30 + 70.
  Raw One("threads=1\n");
  One.record(T.hash(), 0, {100, 30, 0});
  ASSERT_EQ(Use(One).size(), 1u);
  EXPECT_EQ(Use(One)[0].ByOwner, 260u);
  EXPECT_EQ(Use(One)[0].ByOthers, 0u);
  Raw Several("threads=3\n");
  Several.record(T.hash(), 0, {100, 30, 0}).record(T.hash(), 3, {90, 30, 0});
  ASSERT_EQ(Use(Several).size(), 1u);
  EXPECT_EQ(Use(Several)[0].ByOwner, 20u); // 10 of region 0, 10 of region 2
  EXPECT_EQ(Use(Several)[0].ByOthers, 240u);
  // The only other thread may have the objects.
  Raw Two("threads=2\n");
  Two.record(T.hash(), 0, {100, 30, 0}).record(T.hash(), 3, {90, 30, 0});
  EXPECT_EQ(Use(Two)[0].ByOwner, 240u);
  // By which thread an address was accessed is not known.
  Several.record(fnv1a("ring"), 1, std::vector<uint64_t>(32, 1));
  EXPECT_EQ(Use(Several)[0].ByOthers, 272u);
  One.record(fnv1a("ring"), 1, std::vector<uint64_t>(32, 1));
  EXPECT_EQ(Use(One)[0].ByOthers, 0u);
  // A recorder that does not tell.
  Raw Silent("");
  Silent.record(T.hash(), 0, {100, 30, 0});
  EXPECT_TRUE(Use(Silent).empty());
  // Part of a whole that is not there.
  Raw Broken("threads=2\n");
  Broken.record(T.hash(), 3, {1, 1, 1});
  EXPECT_FALSE(readRawCounters(Broken.whole()));
}

TEST(CounterJoin, SaysWhatDoesNotFit) {
  Table T = kst_test::smallTable(), Other = kst_test::otherTable();
  auto With = tables(T.blob());
  Raw From("");
  From.record(T.hash(), 0, {1, 1, 1}).record(4711, 0, {1});
  From.record(fnv1a("ring"), 1, std::vector<uint64_t>(32, 2));
  From.record(fnv1a("ring"), 1, std::vector<uint64_t>(32, 3));
  From.record(fnv1a("queue"), 1, {1, 1});
  JoinedCounters Made = joined(From, tables(T.blob() + Other.blob()));
  EXPECT_EQ(Made.Notes.UnitsWithoutTable, 1u);
  EXPECT_EQ(Made.Notes.TablesWithoutCounters, 1u);
  EXPECT_EQ(Made.Notes.ObjectsWithoutStruct, 1u);
  ASSERT_EQ(Made.What.ByAddress.size(), 16u);
  EXPECT_EQ(Made.What.ByAddress[15].OffsetBytes, 15u);
  EXPECT_EQ(Made.What.ByAddress[15].Writes, 5u);

  auto Error = [&](const Raw &Of) {
    auto Read = readRawCounters(Of.whole());
    EXPECT_TRUE(Read);
    auto Join = joinCounters(*Read, With);
    EXPECT_FALSE(Join);
    return Join.error();
  };
  EXPECT_EQ(Error(Raw("").record(4711, 0, {1})),
            "none of 1 units with counters is among the 1 tables: the program "
            "that ran is not the one given");
  EXPECT_EQ(Error(Raw("").record(T.hash(), 0, {1, 2})),
            "unit ring.c has 2 counters in the raw file, 3 in its table");
  EXPECT_EQ(Error(Raw("").record(T.hash(), 0, {~0ull, ~0ull, 0})),
            "a count of unit ring.c does not fit 64 bits");
  EXPECT_EQ(Error(Raw("duration_ns=fast\n").record(T.hash(), 0, {1, 1, 1})),
            "the text of the raw counters has a duration_ns that is no number");
}

TEST(CounterJoin, NamesAreHashedAsDocumented) {
  // Reference values of FNV-1a, 64 bits.
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8u);
}

} // namespace
