// SPDX-License-Identifier: GPL-2.0-or-later

#include "KnownTrace.h"

#include "hybrid/dprof/DescribeParts.h"
#include "hybrid/dprof/DprofReport.h"
#include "hybrid/import/AccessLog.h"
#include "hybrid/report/Render.h"

#include <random>

using namespace kst;
using kst_test::KnownTrace;
using kst_test::typeOf;

namespace {

constexpr uint64_t Slab = KnownTrace::Slab, Counter = KnownTrace::Counter;
constexpr size_t L2 = size_t(CacheLevel::L2);

uint64_t missed(const TypeRow &Of, MissClass Class) {
  return Of.Counts.Missed[L2][size_t(Class)];
}

/// Packets are made by CPU 0 and read by CPU 1; the counter stays with CPU 0.
KnownTrace handedOver(unsigned Reader) {
  KnownTrace T;
  for (uint64_t N = 0; N < 100; ++N) {
    const uint64_t Packet = Slab + N % 10 * 128;
    T.on(0, "make").alloc(Packet).store(Packet).store(Packet + 64);
    T.on(0, "count").store(Counter);
    T.on(Reader, "use").load(Packet).load(Packet + 64);
    T.on(Reader, "drop").free(Packet);
  }
  return T;
}

TEST(Dprof, SharesAddUpAndNothingIsDropped) {
  KnownTrace T;
  T.on(0, "f").load(Slab).load(Counter).load(KnownTrace::Stack);
  T.load(KnownTrace::User).load(Counter + 60, 8).alloc(Slab).store(Slab + 200);
  T.store(Slab + 8);
  const DataProfile P = T.profile();
  // The access from +60 on is one to each of two lines.
  EXPECT_EQ(P.All.accesses(), 8u);
  uint64_t Accesses = 0, Misses = 0;
  for (const TypeRow &Of : P.Types) {
    Accesses += Of.Counts.accesses();
    Misses += Of.Counts.misses(P.Level);
    uint64_t AtPlaces = Of.OtherPlaces, MissesAtPlaces = 0;
    for (const PlaceRow &At : Of.Places) {
      AtPlaces += At.Loads + At.Stores;
      MissesAtPlaces += At.misses();
    }
    EXPECT_LE(AtPlaces, Of.Counts.accesses());
    EXPECT_EQ(MissesAtPlaces, Of.Counts.misses(P.Level)) << Of.Name;
  }
  EXPECT_EQ(Accesses, P.All.accesses());
  EXPECT_EQ(Misses, P.All.misses(P.Level));
  EXPECT_EQ(typeOf(P, "user space").Counts.accesses(), 1u);
  // The stack, what is in no object, and a slot before its allocation; the
  // counter is the only static object.
  EXPECT_EQ(typeOf(P, "unknown").Counts.accesses(), 3u);
  EXPECT_EQ(typeOf(P, "packet").Counts.accesses(), 1u);
}

TEST(Dprof, FreeSlotsAreMemoryOfTheirCache) {
  KnownTrace T;
  T.slab(Slab, 4096, 128);
  // Of 32 slots the allocator links all, and somebody uses two.
  for (uint64_t N = 0; N < 32; ++N)
    T.on(0, "link", "mm/slub.c").store(Slab + N * 128 + 64);
  T.on(0, "use").load(Slab).load(Slab + 128);
  T.on(0, "make").alloc(Slab + 256).store(Slab + 256);
  T.on(0, "drop").free(Slab + 128).free(Slab + 384);
  const DataProfile P = T.profile();
  EXPECT_EQ(typeOf(P, "free:packets").Counts.accesses(), 32u);
  EXPECT_EQ(typeOf(P, "free:packets").Objects, 0u);
  EXPECT_EQ(typeOf(P, "free:packets").Live.Most, 0u);
  const TypeRow &Packet = typeOf(P, "packet");
  EXPECT_EQ(Packet.Counts.accesses(), 3u);
  EXPECT_EQ(Packet.Objects, 3u);
  EXPECT_EQ(Packet.Live.Most, 3u * 128);
  EXPECT_EQ(P.Windows.back().Live[size_t(&Packet - P.Types.data())], 2u * 128);
}

TEST(Dprof, MissesAreOfTheFieldsOnTheLineThatMissed) {
  KnownTrace T;
  T.on(0, "make").alloc(Slab).store(Slab, 8);
  T.on(0, "copy").load(Slab + 56, 72); // from the first line on
  DataProfile P = T.profile();
  TypeRow Packet = typeOf(P, "packet");
  Packet.Members = {{0, 56 * 8, "head"},
                    {56 * 8, 64, "tail"},
                    {64 * 8, 32 * 8, "body"},
                    {96 * 8, 32 * 8, "rest"}};
  std::string Rows;
  for (const PlaceRow &At : Packet.Places)
    Rows += " " + fieldName(P, Packet, At) + "=" + std::to_string(At.misses());
  EXPECT_EQ(Rows, " head=1 tail=0 body..rest=1");
}

TEST(Dprof, AccessesToOneOrSeveralMembersAreNamed) {
  const MemberNames In = {{0, 64, "list"},
                          {0, 32, "list.a"},
                          {64, 32, "val"},
                          {64, 8, "val.low"},
                          {96, 32, "more"}};
  EXPECT_EQ(membersAt(In, 0, 4), "list.a");
  EXPECT_EQ(membersAt(In, 0, 8), "list");
  EXPECT_EQ(membersAt(In, 8, 4), "val");
  EXPECT_EQ(membersAt(In, 8, 1), "val.low");
  EXPECT_EQ(membersAt(In, 12, 2), "more");
  EXPECT_EQ(membersAt(In, 8, 8), "val.low..more");
  EXPECT_EQ(membersAt(In, 12, 8), "more..+19");
  EXPECT_EQ(membersAt({}, 12, 8), "+12");
}

TEST(Dprof, FieldsThatATraceNamesHaveThePlacesOfTheStruct) {
  std::string Bytes;
  ASSERT_TRUE(traceOfAccessLog(
      "[000] 1.000001: Accessed ring[1]->lock.owner in f (modify)\n"
      "[001] 1.000002: Accessed ring[1]->slots[3] in g (access)\n"
      "[000] 1.000003: Accessed ring[1]->lock.owner in f (modify)\n"
      "[001] 1.000004: Accessed ring[1]->gone in g (access)\n"
      "[001] 1.000005: Accessed ring[1]->slots[1] in g (access)\n",
      "", [&](std::string_view Part) {
        Bytes += Part;
        return true;
      }));
  auto Profiled = [&](uint64_t SlotsAt) {
    auto Trace = TraceReader::open(Bytes);
    DprofOptions Options;
    Options.Geometry = *parseCacheGeometry("l1=1K/2,l2=4K/4");
    if (SlotsAt)
      Options.Members["ring"] = {{0, 128, "lock"},
                                 {64, 64, "lock.owner"},
                                 {SlotsAt * 8, 512, "slots"}};
    return dprof(*Trace, Options);
  };
  // On one line they fight, on two they do not.
  auto Near = Profiled(16), Far = Profiled(64), Unknown = Profiled(0);
  ASSERT_TRUE(Near && Far);
  EXPECT_EQ(missed(typeOf(*Near, "ring"), MissClass::FalseSharing), 1u);
  EXPECT_EQ(missed(typeOf(*Far, "ring"), MissClass::FalseSharing), 0u);
  EXPECT_EQ(typeOf(*Far, "ring").Places[0].OffsetBytes, 8u);
  EXPECT_EQ(typeOf(*Far, "ring").Places[0].SizeBytes, 8u);
  EXPECT_EQ(Far->UnknownFields, 1u);
  ASSERT_FALSE(Unknown);
  EXPECT_NE(Unknown.error().find("no offsets"), std::string::npos);
}

TEST(Dprof, ObjectsThatAreHandedOverBounce) {
  const DataProfile P = handedOver(1).profile();
  const TypeRow &Packet = typeOf(P, "packet");
  EXPECT_EQ(Packet.Objects, 100u);
  EXPECT_EQ(Packet.MovedObjects, 100u);
  EXPECT_EQ(Packet.Moves, 100u);
  // Both lines are read behind a remote write: 10 slots the first time, then
  // true sharing, for they were read before.
  EXPECT_EQ(missed(Packet, MissClass::ColdForeign), 20u);
  EXPECT_EQ(missed(Packet, MissClass::TrueSharing), 180u);
  EXPECT_EQ(Packet.Counts.Served[size_t(ServedBy::Remote)], 200u);
  const TypeRow &Count = typeOf(P, "counter");
  EXPECT_EQ(Count.MovedObjects + Count.Moves, 0u);
  EXPECT_EQ(Count.Counts.misses(P.Level), 1u);
}

TEST(Dprof, OneCpuHasNoBounceAndNoSharing) {
  const DataProfile P = handedOver(0).profile();
  for (const TypeRow &Of : P.Types) {
    EXPECT_EQ(Of.MovedObjects + Of.Moves, 0u) << Of.Name;
    for (size_t Level = 0; Level < CacheLevels; ++Level)
      for (MissClass Class : {MissClass::ColdForeign, MissClass::ColdClean,
                              MissClass::TrueSharing, MissClass::FalseSharing})
        EXPECT_EQ(Of.Counts.Missed[Level][size_t(Class)], 0u) << Of.Name;
    for (const FlowNode &Node : Of.Paths.Nodes)
      EXPECT_FALSE(Node.OtherCpu);
  }
}

TEST(Dprof, WhoWritesTheLineOfAFalseMissIsKnown) {
  KnownTrace T;
  T.on(0, "init").alloc(Slab);
  for (int N = 0; N < 50; ++N) {
    T.on(0, "writer").context(ContextKind::Softirq, true).store(Slab + 8);
    T.context(ContextKind::Softirq, false);
    T.on(1, "reader").load(Slab + 16);
  }
  const DataProfile P = T.profile();
  const TypeRow &Packet = typeOf(P, "packet");
  EXPECT_EQ(missed(Packet, MissClass::FalseSharing), 49u);
  EXPECT_TRUE(P.Contexts);
  ASSERT_EQ(Packet.Places.size(), 2u);
  EXPECT_EQ(Packet.Places[0].OffsetBytes, 8u);
  EXPECT_EQ(P.Sites[Packet.Places[0].Site].Function, "writer");
  EXPECT_EQ(Packet.Places[0].Context, ContextKind::Softirq);
  EXPECT_EQ(Packet.Places[0].Stores, 50u);
  EXPECT_EQ(Packet.Places[0].Cpus, 1u);
  EXPECT_EQ(P.Sites[Packet.Places[1].Site].Function, "reader");
  EXPECT_EQ(Packet.Places[1].misses(), 50u);
}

/// A miss that looks false is true if the CPU then reads what was written.
TEST(Dprof, LifetimeMovesMissesWithTheirPlaces) {
  KnownTrace T;
  T.on(0, "init").alloc(Slab);
  for (int N = 0; N < 50; ++N) {
    T.on(0, "writer").store(Slab + 8);
    T.on(1, "looks").load(Slab + 16);
    T.on(1, "reads").load(Slab + 8);
  }
  DprofOptions Options;
  Options.Sharing = ClassRule::Lifetime;
  const DataProfile P = T.profile(Options);
  const TypeRow &Packet = typeOf(P, "packet");
  EXPECT_EQ(missed(Packet, MissClass::FalseSharing), 0u);
  EXPECT_EQ(missed(Packet, MissClass::TrueSharing), 49u);
  for (const PlaceRow &At : Packet.Places)
    EXPECT_EQ(At.Missed[size_t(MissClass::TrueSharing)],
              P.Sites[At.Site].Function == "looks" ? 49u : 0u);
  EXPECT_EQ(missed(typeOf(T.profile(), "packet"), MissClass::FalseSharing),
            49u);
}

TEST(Dprof, WorkingSetsAreWhatIsThere) {
  KnownTrace T;
  for (uint64_t N = 0; N < 100; ++N)
    T.on(0, "make").alloc(Slab + N * 128).store(Slab + N * 128);
  const DataProfile P = T.profile();
  EXPECT_EQ(P.WindowEvents, 4u);
  ASSERT_EQ(P.Windows.size(), 50u);
  const TypeRow &Packet = typeOf(P, "packet");
  // Two packets a window: one line of each is touched.
  EXPECT_EQ(Packet.Live.Most, 100u * 128);
  EXPECT_DOUBLE_EQ(Packet.Live.Mean, 51 * 128.0);
  EXPECT_EQ(Packet.Active.Most, 128u);
  EXPECT_DOUBLE_EQ(Packet.Active.Mean, 128);
  EXPECT_EQ(Packet.Resident[L2].Most, 32u * 64); // half of the sets
  EXPECT_EQ(Packet.Resident[size_t(CacheLevel::Llc)].Most, 100u * 64);
  EXPECT_EQ(P.Windows.back().Live[0], 100u * 128);
  EXPECT_EQ(typeOf(P, "counter").Live.Most, 64u); // static, and never touched
}

TEST(Dprof, TypesThatFightForASetAreFound) {
  KnownTrace T;
  // Six lines of one set of four ways: every access misses.
  for (int Round = 0; Round < 100; ++Round)
    for (uint64_t N = 0; N < 6; ++N)
      T.on(0, "sweep").load(Slab + N * 4096);
  const DataProfile P = T.profile();
  ASSERT_FALSE(P.Sets.Fullest.empty());
  const SetRow &First = P.Sets.Fullest.front();
  EXPECT_EQ(First.Set, Slab / 64 % 16);
  EXPECT_EQ(First.Conflicts, 594u);
  EXPECT_DOUBLE_EQ(First.Lines, 6);
  ASSERT_EQ(First.Types.size(), 1u);
  EXPECT_EQ(P.Types[First.Types[0].first].Name, "unknown");
  EXPECT_EQ(P.Sets.Number[6], 1u); // 6 lines in 4 ways: 1.5
  EXPECT_EQ(P.Sets.Number[0], P.Sets.Sets - 1);
}

TEST(Dprof, AnIncompleteTraceAndLossesAreSaid) {
  KnownTrace T = handedOver(1);
  T.losing(17).on(0, "late").store(Counter);
  DprofReport R;
  R.Data = T.profile();
  EXPECT_EQ(R.Data.Lost, 17u);
  R.Data.Complete = false;
  const std::string Text = toText(describe(R));
  EXPECT_NE(Text.find("17 events lost"), std::string::npos);
  EXPECT_NE(Text.find("incomplete"), std::string::npos);
  EXPECT_NE(Text.find("no prefetcher"), std::string::npos);
}

TEST(Dprof, TooManyCpusAreRefused) {
  KnownTrace T;
  for (unsigned Cpu = 0; Cpu < 65; ++Cpu)
    T.on(Cpu, "f").load(Slab);
  const std::string Bytes = T.bytes();
  auto Trace = TraceReader::open(Bytes);
  DprofOptions Options;
  Options.Geometry = *parseCacheGeometry("l1=1K/2");
  Options.Level = CacheLevel::L1;
  auto P = dprof(*Trace, Options);
  ASSERT_FALSE(P);
  EXPECT_NE(P.error().find("65 CPUs"), std::string::npos);
}

TEST(Dprof, EqualTracesGiveEqualReports) {
  DprofReport A, B;
  A.Data = handedOver(1).profile();
  B.Data = handedOver(1).profile();
  EXPECT_EQ(toJson(A), toJson(B));
  EXPECT_EQ(toHtml({describe(A)}), toHtml({describe(B)}));
  EXPECT_EQ(toDot(A), toDot(B));
}

} // namespace
