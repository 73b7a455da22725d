// SPDX-License-Identifier: GPL-2.0-or-later

#include "KnownTrace.h"

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
const char *const Same = R"(["hot", "cold", "tail", "rest"])";
const char *const SameOffsets = "[0, 8, 56, 64]";

std::string runs(const ByteOrder &Order, uint32_t Offset, uint32_t Bytes) {
  std::string Out;
  Order.forEachRun(Offset, Bytes, [&](uint32_t To, uint32_t Size) {
    Out += " " + std::to_string(To) + "+" + std::to_string(Size);
  });
  return Out;
}

TEST(ByteOrder, BytesGoWithTheirFields) {
  auto Order = ByteOrder::read(
      report(R"(["rest", "hot", "cold", "tail"])", "[0, 64, 72, 120]"), "");
  ASSERT_TRUE(bool(Order)) << Order.error();
  EXPECT_EQ(Order->structName(), "packet");
  EXPECT_EQ(Order->movedBytes(), 128u);
  EXPECT_EQ(runs(*Order, 0, 8), " 64+8");
  EXPECT_EQ(runs(*Order, 0, 60), " 64+60");
  EXPECT_EQ(runs(*Order, 60, 4), " 124+4"); // padding, behind tail
  EXPECT_EQ(runs(*Order, 56, 16), " 120+8 0+8");
  EXPECT_EQ(runs(*Order, 0, 128), " 0+128");   // the whole object
  EXPECT_EQ(runs(*Order, 120, 16), " 120+16"); // more than the object
}

TEST(ByteOrder, WhatDoesNotFitIsRefused) {
  auto Error = [](const std::string &Text, const char *Struct = "") {
    auto Order = ByteOrder::read(Text, Struct);
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
  const ByteOrder Order = *ByteOrder::read(report(Same, SameOffsets), "");
  DprofOptions Options;
  Options.Order = &Order;
  for (ClassRule Rule : {ClassRule::AtMiss, ClassRule::Lifetime}) {
    Options.Sharing = Rule;
    const DataProfile P = fight().profile(Options);
    ASSERT_TRUE(P.Other);
    EXPECT_EQ(P.Other->MovedBytes, 0u);
    EXPECT_EQ(P.Other->Before, P.Other->After);
    AccessCounts Sum = P.Other->Before[0];
    EXPECT_EQ(Sum += P.Other->Before[1], P.All);
  }
}

TEST(WhatIf, FieldsOnTwoLinesDoNotFight) {
  const ByteOrder Order = *ByteOrder::read(
      report(R"(["hot", "rest", "cold", "tail"])", "[0, 8, 72, 120]"), "");
  DprofOptions Options;
  Options.Order = &Order;
  const DataProfile P = fight().profile(Options);
  ASSERT_TRUE(P.Other);
  const auto False = size_t(MissClass::FalseSharing);
  const auto L2 = size_t(CacheLevel::L2);
  EXPECT_EQ(P.Other->Before[0].Missed[L2][False], 198u);
  EXPECT_EQ(P.Other->After[0].Missed[L2][False], 0u);
  EXPECT_EQ(P.Other->After[0].misses(CacheLevel::L2), 2u);
  EXPECT_EQ(P.Other->Before[1], P.Other->After[1]);
}

TEST(WhatIf, AnotherStructOrSizeIsRefused) {
  std::string Text = report(Same, SameOffsets);
  Text.replace(Text.find("packet"), 6, "parcel");
  const std::string Bytes = fight().bytes();
  for (const std::string Name : {"parcel", "counter"}) {
    std::string Other = report(Same, SameOffsets);
    Other.replace(Other.find("packet"), 6, Name);
    const ByteOrder Order = *ByteOrder::read(Other, "");
    DprofOptions Options;
    Options.Geometry = *parseCacheGeometry("l1=1K/2,l2=4K/4");
    Options.Order = &Order;
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
