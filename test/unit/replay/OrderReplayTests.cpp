// SPDX-License-Identifier: GPL-2.0-or-later

#include "../trace/SmallTrace.h"

#include "hybrid/replay/ByteMoves.h"
#include "hybrid/replay/OrderReplay.h"

#include <gtest/gtest.h>

using namespace kst;
using kst_test::traceBytes;

namespace {

constexpr uint64_t Object = 0xffff888000100000;
constexpr uint32_t A = 0, B = 8, C = 64; ///< offsets of the fields

/// struct ring { u64 a, b; pad; u64 c; } of two lines.
RecordInfo ring() {
  RecordInfo R;
  R.Name = "ring";
  R.SizeBytes = 128;
  R.AlignBytes = 64;
  for (uint32_t Offset : {A, B, C}) {
    FieldInfo F;
    F.Name = std::string(1, char('a' + R.Fields.size()));
    F.OffsetBits = Offset * 8;
    F.SizeBits = 64;
    F.AlignBytes = 8;
    R.Fields.push_back(F);
  }
  return R;
}

Layout at(std::vector<uint64_t> Bytes, uint64_t SizeBytes = 128) {
  Layout L;
  L.SizeBytes = SizeBytes;
  for (uint64_t Offset : Bytes)
    L.OffsetBits.push_back(Offset * 8);
  return L;
}

TraceEvent access(uint32_t Cpu, uint32_t Offset, uint8_t Kind,
                  uint32_t Bytes = 8) {
  TraceEvent E;
  E.Stream = Cpu;
  E.Address = Object + Offset;
  E.Access = Kind;
  E.SizeBytes = Bytes;
  return E;
}

/// The events at times 1, 2, ..., of one ring that is there all the time.
std::string traceOf(std::vector<TraceEvent> Events) {
  TraceTables T;
  T.About.Strings = {"", "ring"};
  T.About.Structs = {{1, 128, 0, 0}};
  T.About.Sites.emplace_back(); // of no struct: the address says which object
  T.Objects = {{Object, 128, 1, 0, NoCpu}};
  for (size_t I = 0; I != Events.size(); ++I)
    Events[I].Time = I + 1;
  return traceBytes(T, Events);
}

Result<ReplayedOrders> replay(const std::string &Bytes,
                              const std::vector<OrderToReplay> &Orders) {
  auto Trace = TraceReader::open(Bytes);
  if (!Trace)
    return Failure{Trace.error()};
  return replayOrders(*Trace, {0}, ring(), Orders,
                      {.Geometry = *parseCacheGeometry("l1=32K/8")});
}

uint64_t classOf(const ReplayedOrder &Order, MissClass Class) {
  return Order.missed(Class);
}

/// CPU 0 writes to a while CPU 1 reads b.
std::string pingPong(int Times) {
  std::vector<TraceEvent> Events;
  for (int I = 0; I != Times; ++I) {
    Events.push_back(access(0, A, AccessStore));
    Events.push_back(access(1, B, AccessLoad));
  }
  return traceOf(Events);
}

TEST(OrderReplay, FieldsApartAreNoFalseSharing) {
  auto R = replay(pingPong(100), {{"current", at({A, B, C})},
                                  {"apart", at({A, C, B})},
                                  {"again", at({A, B, C})}});
  ASSERT_TRUE(R) << R.error();
  ASSERT_EQ(R->Orders.size(), 3u);
  // The first access of each CPU is cold or foreign.
  EXPECT_EQ(classOf(R->Orders[0], MissClass::FalseSharing), 99u);
  EXPECT_EQ(classOf(R->Orders[0], MissClass::TrueSharing), 0u);
  EXPECT_EQ(R->Orders[0].Fields[1].Sharing, 99u);
  EXPECT_EQ(R->Orders[0].Upgrades, 99u);
  EXPECT_EQ(classOf(R->Orders[1], MissClass::FalseSharing), 0u);
  EXPECT_EQ(R->Orders[1].Upgrades, 0u);
  // The control: the same order has the same counts.
  EXPECT_EQ(R->Orders[2].Missed, R->Orders[0].Missed);
  EXPECT_EQ(R->Orders[2].Served, R->Orders[0].Served);
  EXPECT_EQ(R->Cpus, 2u);
  EXPECT_EQ(R->Objects, 1u);
  EXPECT_EQ(R->SubjectAccesses, 200u);
  EXPECT_TRUE(R->onlySubject());
  EXPECT_TRUE(R->Complete);
}

TEST(OrderReplay, BytesThatAreReadMakeItTrueWhereverTheyLie) {
  std::vector<TraceEvent> Events;
  for (int I = 0; I != 10; ++I) {
    Events.push_back(access(0, A, AccessStore));
    Events.push_back(access(1, A, AccessLoad));
  }
  auto R = replay(traceOf(Events),
                  {{"current", at({A, B, C})}, {"moved", at({C, B, A})}});
  ASSERT_TRUE(R) << R.error();
  for (const ReplayedOrder &Order : R->Orders)
    EXPECT_EQ(classOf(Order, MissClass::TrueSharing), 9u) << Order.Name;
}

TEST(OrderReplay, LinesAreCountedOnceAWindow) {
  std::vector<TraceEvent> Events;
  for (int I = 0; I != 512; ++I)
    Events.push_back(access(0, I % 2 ? A : C, AccessLoad));
  auto R = replay(traceOf(Events),
                  {{"current", at({A, B, C})}, {"near", at({A, C, B})}});
  ASSERT_TRUE(R) << R.error();
  EXPECT_EQ(R->Orders[0].LinesPerWindow, 2);
  EXPECT_EQ(R->Orders[1].LinesPerWindow, 1);
}

TEST(OrderReplay, AnAccessToSeveralFieldsIsTornApart) {
  auto R = replay(
      traceOf({access(0, A, AccessStore, 16), access(0, B + 8, AccessStore, 8),
               access(0, 0x1000, AccessLoad)}),
      {{"current", at({A, B, C})}, {"apart", at({A, C, B})}});
  ASSERT_TRUE(R) << R.error();
  EXPECT_EQ(R->Orders[0].Fields[0].Misses, 1u);
  EXPECT_EQ(R->Orders[0].Fields[1].Misses, 0u); // on the same line
  EXPECT_EQ(R->Orders[1].Fields[1].Misses, 1u);
  EXPECT_EQ(R->InHoles, 1u);
  EXPECT_EQ(R->SubjectAccesses, 2u);
  EXPECT_EQ(R->Accesses, 3u);
  EXPECT_FALSE(R->onlySubject());
}

TEST(OrderReplay, EachLineOfAnAccessCounts) {
  RecordInfo Long = ring();
  Long.Fields[2].OffsetBits = 16 * 8;
  Long.Fields[2].SizeBits = 112 * 8; // on two lines
  const std::string Bytes = traceOf({access(0, 16, AccessLoad, 112)});
  auto Trace = TraceReader::open(Bytes);
  ASSERT_TRUE(Trace) << Trace.error();
  auto R = replayOrders(*Trace, {0}, Long, {{"current", at({A, B, 16})}},
                        {.Geometry = *parseCacheGeometry("l2=32K/8")});
  ASSERT_TRUE(R) << R.error();
  EXPECT_EQ(R->Orders[0].misses(), 2u);
  EXPECT_EQ(R->Orders[0].LinesPerWindow, 2);
  EXPECT_EQ(R->Nearest, CacheLevel::L2);
}

TEST(OrderReplay, TooManyOrdersAreRefused) {
  std::vector<OrderToReplay> Many(65, {"current", at({A, B, C})});
  auto R = replay(pingPong(1), Many);
  ASSERT_FALSE(R);
  EXPECT_EQ(R.error(), "at most 64 orders can be replayed at once, not 65");
}

TEST(OrderReplay, LongerOrdersAreLeftOut) {
  auto R = replay(pingPong(1),
                  {{"current", at({A, B, C})}, {"long", at({A, B, 128}, 192)}});
  ASSERT_TRUE(R) << R.error();
  EXPECT_EQ(R->Orders.size(), 1u);
  EXPECT_EQ(R->LeftOut, std::vector<std::string>{"long"});
}

TEST(OrderReplay, WithoutAccessesThereIsNothingToSay) {
  auto R = replay(traceOf({access(0, 0x1000, AccessLoad)}),
                  {{"current", at({A, B, C})}});
  ASSERT_FALSE(R);
  EXPECT_EQ(R.error(), "has no access to struct ring");
}

TEST(ByteMoves, BitFieldsThatShareBytesMoveTogether) {
  RecordInfo R = ring();
  R.Fields[0].SizeBits = 3;
  R.Fields[1].OffsetBits = 3;
  R.Fields[1].SizeBits = 13;
  Layout Moved = at({64, 64, 0});
  ByteMoves Moves(R, {&Moved});
  ASSERT_EQ(Moves.pieces().size(), 2u);
  EXPECT_EQ(Moves.find(1), &Moves.pieces()[0]);
  EXPECT_EQ(Moves.find(1)->Offsets, std::vector<uint32_t>{64});
  EXPECT_EQ(Moves.find(2), nullptr);
  EXPECT_EQ(Moves.find(C), &Moves.pieces()[1]);
  EXPECT_EQ(Moves.find(1000), nullptr);
}

} // namespace
