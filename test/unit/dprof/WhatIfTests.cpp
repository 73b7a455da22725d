// SPDX-License-Identifier: GPL-2.0-or-later
//
// The same accesses in another order of fields.

#include "KnownTrace.h"

#include "hybrid/replay/OrderReplay.h"

using namespace kst;
using kst_test::KnownTrace;

namespace {

/// packet: hot (8 bytes), cold (48), tail (4), 4 bytes of padding, rest (64).
std::string report(const char *Order, const char *Offsets, int Size = 128) {
  return R"({"schema": "kst-report/1", "struct": "packet", "size": 128,
    "fields": [{"name": "hot", "offset": 0, "size": 8},
               {"name": "cold", "offset": 8, "size": 48},
               {"name": "tail", "offset": 56, "size": 4},
               {"name": "rest", "offset": 64, "size": 64}],
    "layouts": {"proposed": {"order": )" +
         std::string(Order) + R"(, "offsets": )" + Offsets + R"(, "size": )" +
         std::to_string(Size) + "}}}";
}
ReportedOrder orderOf(const std::string &Report) {
  auto Orders = ReportedOrder::read(Report, "");
  EXPECT_TRUE(Orders) << Orders.error();
  return Orders->front();
}
DprofOptions replaying(const ReportedOrder &Order) {
  DprofOptions Options;
  Options.Orders = {&Order, 1};
  return Options;
}
const char *const Same = R"(["hot", "cold", "tail", "rest"])";
const char *const SameOffsets = "[0, 8, 56, 64]";

TEST(ReportedOrder, WhatDoesNotFitIsRefused) {
  auto Error = [](const std::string &Text, const char *Struct = "") {
    auto Order = ReportedOrder::read(Text, Struct);
    return Order ? "" : Order.error();
  };
  EXPECT_NE(Error("{").find("not JSON"), std::string::npos);
  EXPECT_NE(Error("[1]").find("no report"), std::string::npos);
  EXPECT_NE(Error(report(Same, SameOffsets), "other").find("struct other"),
            std::string::npos);
  EXPECT_NE(Error(report(Same, SameOffsets, 192)).find("overlap"),
            std::string::npos);
  EXPECT_NE(Error(report(Same, "[0, 8, 56]")).find("no order"),
            std::string::npos);
  EXPECT_NE(Error(report(Same, "[0, 8, 56, 65]")).find("damaged"),
            std::string::npos);
  EXPECT_NE(Error(report(R"(["hot", "cold", "tail", "none"])", SameOffsets))
                .find("damaged"),
            std::string::npos);
}

/// Two CPUs write two fields of one line.
KnownTrace fight() {
  KnownTrace T;
  T.on(0, "make").alloc(KnownTrace::Slab);
  for (int N = 0; N < 100; ++N) {
    T.on(0, "a").store(KnownTrace::Slab);
    T.on(1, "b").store(KnownTrace::Slab + 56, 4);
    T.on(1, "c").store(KnownTrace::Counter);
  }
  return T;
}

TEST(WhatIf, TheSameOrderChangesNothing) {
  const ReportedOrder Order = orderOf(report(Same, SameOffsets));
  DprofOptions Options = replaying(Order);
  for (ClassRule Rule : {ClassRule::AtMiss, ClassRule::Lifetime}) {
    Options.Sharing = Rule;
    const DataProfile P = fight().profile(Options);
    ASSERT_EQ(P.Orders.size(), 1u);
    EXPECT_EQ(P.Orders[0].MovedBytes, 0u);
    EXPECT_EQ(P.Orders[0].Before, P.Orders[0].After);
    AccessCounts Sum = P.Orders[0].Before.Counts[0];
    EXPECT_EQ(Sum += P.Orders[0].Before.Counts[1], P.All);
  }
}

TEST(ReportedOrder, BitFieldsHaveTheirBits) {
  std::string Text = report(Same, SameOffsets);
  const std::string Tail = R"("offset": 56, "size": 4})";
  Text.replace(Text.find(Tail), Tail.size(),
               R"("offset": 56, "size": 1, "bits": {"offset": 3, "size": 2}})");
  const ReportedOrder Order = orderOf(Text);
  EXPECT_EQ(Order.Record.Fields[2].OffsetBits, 56u * 8 + 3);
  EXPECT_EQ(Order.Record.Fields[2].SizeBits, 2u);
  EXPECT_EQ(Order.Proposed.OffsetBits[2], 56u * 8);
  EXPECT_EQ(Order.movedBytes(), 0u);
}

/// --validate's engine on the same trace.
ReplayedOrders validated(const KnownTrace &T, const ReportedOrder &Order) {
  const std::string Bytes = T.bytes();
  auto Trace = TraceReader::open(Bytes);
  std::vector<uint32_t> Rows;
  for (uint32_t Row = 0; Row < Trace->about().Structs.size(); ++Row)
    if (Trace->about().text(Trace->about().Structs[Row].Name) == "packet")
      Rows.push_back(Row);
  return *replayOrders(
      *Trace, Rows, Order.Record,
      {{"now", Order.Current}, {"then", Order.Proposed}},
      {.Geometry = *parseCacheGeometry("l1=1K/2,l2=4K/4,llc=64K/8")});
}

TEST(WhatIf, BytesMoveAsInValidate) {
  KnownTrace T;
  T.slab(KnownTrace::Slab + 4096, 4096, 128);
  for (uint64_t N = 0; N < 60; ++N) {
    const uint64_t Packet = KnownTrace::Slab + N % 7 * 128,
                   Old = KnownTrace::Slab + 4096 + N % 5 * 128;
    T.on(0, "make").alloc(Packet).store(Packet, 128); // all of it
    T.on(1, "link", "mm/slub.c").store(Old + 256, 8); // perhaps a free slot
    T.on(0, "a").store(Packet).load(Old + 8, 16).store(Packet + 60, 4);
    T.on(1, "b").store(Packet + 52, 16).load(Old).store(Packet + 120, 32);
    T.on(1, "drop").free(Packet);
  }
  for (const char *Offsets : {"[0, 8, 72, 120]", "[64, 0, 72, 120]"}) {
    const ReportedOrder Order =
        orderOf(report(R"(["hot", "rest", "cold", "tail"])", Offsets));
    const DataProfile P = T.profile(replaying(Order));
    ASSERT_EQ(P.Orders.size(), 1u);
    const ReplayedOrders R = validated(T, Order);
    for (size_t I : {0, 1}) {
      const AccessCounts &Here =
          I ? P.Orders[0].After.Counts[0] : P.Orders[0].Before.Counts[0];
      EXPECT_EQ(Here.Missed[size_t(CacheLevel::L1)], R.Orders[I].Missed);
      EXPECT_EQ(Here.Served, R.Orders[I].Served);
      EXPECT_EQ(Here.Upgrades, R.Orders[I].Upgrades);
    }
    EXPECT_GT(R.InHoles, 0u);
    EXPECT_EQ(P.Orders[0].InHoles, R.InHoles);
    EXPECT_NE(P.Orders[0].Before, P.Orders[0].After);
  }
}

TEST(WhatIf, FieldsOnTwoLinesDoNotFight) {
  const ReportedOrder Order =
      orderOf(report(R"(["hot", "rest", "cold", "tail"])", "[0, 8, 72, 120]"));
  const DataProfile P = fight().profile(replaying(Order));
  ASSERT_EQ(P.Orders.size(), 1u);
  const auto False = size_t(MissClass::FalseSharing);
  const auto L2 = size_t(CacheLevel::L2);
  EXPECT_EQ(P.Orders[0].Before.Counts[0].Missed[L2][False], 198u);
  EXPECT_EQ(P.Orders[0].After.Counts[0].Missed[L2][False], 0u);
  EXPECT_EQ(P.Orders[0].After.Counts[0].misses(CacheLevel::L2), 2u);
  EXPECT_EQ(P.Orders[0].Before.Counts[1], P.Orders[0].After.Counts[1]);
}

TEST(WhatIf, AnotherStructOrSizeIsRefused) {
  std::string Text = report(Same, SameOffsets);
  Text.replace(Text.find("packet"), 6, "parcel");
  const std::string Bytes = fight().bytes();
  for (const std::string Name : {"parcel", "counter"}) {
    std::string Other = report(Same, SameOffsets);
    Other.replace(Other.find("packet"), 6, Name);
    const ReportedOrder Order = orderOf(Other);
    DprofOptions Options = replaying(Order);
    Options.Geometry = *parseCacheGeometry("l1=1K/2,l2=4K/4");
    auto Trace = TraceReader::open(Bytes);
    auto P = dprof(*Trace, Options);
    ASSERT_FALSE(P);
    EXPECT_NE(P.error().find(Name == "parcel" ? "knows no struct parcel"
                                              : "64 bytes in the trace"),
              std::string::npos)
        << P.error();
  }
}

} // namespace
