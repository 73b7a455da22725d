// SPDX-License-Identifier: GPL-2.0-or-later
//
// Paths of objects through functions: how they are merged, cut and counted.

#include "KnownTrace.h"

#include "hybrid/dprof/DescribeParts.h"
#include "hybrid/dprof/ObjectHistories.h"

using namespace kst;
using kst_test::KnownTrace;
using kst_test::typeOf;

namespace {

constexpr uint64_t Slab = KnownTrace::Slab;

/// "100 make() > 60 use()": rows with their depth as `>`, `!` for another CPU.
std::string words(const FlowSteps &Steps) {
  std::string Out;
  for (const FlowStep &Row : Steps.Rows) {
    Out += Out.empty() ? "" : "\n";
    Out += std::string(Row.Depth, '>') + (Row.OtherCpu ? "!" : "") +
           std::to_string(Row.Objects);
    for (const std::string &Function : Row.Functions)
      Out += " " + Function;
    if (Row.Ended)
      Out += " (" + std::to_string(Row.Ended) + " ended)";
  }
  return Out;
}

TEST(Flow, EqualPathsAreOneAndObjectsAreCounted) {
  KnownTrace T;
  for (uint64_t N = 0; N < 10; ++N) {
    const uint64_t Packet = Slab + N * 128;
    T.on(0, "make").alloc(Packet).store(Packet);
    T.on(0, "fill").store(Packet + 8).store(Packet + 16);
    if (N < 6)
      T.on(1, "receive").load(Packet + 8);
    T.on(N < 6 ? 1 : 0, "drop").free(Packet);
  }
  const TypeRow Packet = typeOf(T.profile(), "packet");
  EXPECT_EQ(words(flowSteps(Packet.Paths, true, 0, 100)),
            "10\n"
            ">10 make fill\n"
            ">>!6 receive drop (6 ended)\n"
            ">>4 drop (4 ended)");
  EXPECT_EQ(Packet.Paths.Cut, 0u);
  EXPECT_EQ(Packet.MovedObjects, 6u);
  const FlowSteps Steps = flowSteps(Packet.Paths, true, 0, 100);
  EXPECT_EQ(Steps.Rows[1].Stores, 30u);
  EXPECT_EQ(Steps.Rows[1].Touched, 7u);
  EXPECT_EQ(Steps.Rows[2].Loads, 6u);
  EXPECT_EQ(flowSteps(Packet.Paths, true, 0.5, 100).LeftOut, 1u);
}

TEST(Flow, ALoopIsOneStepForEachFunction) {
  KnownTrace T;
  T.on(0, "make").alloc(Slab);
  for (int N = 0; N < 100; ++N) {
    T.on(0, "poll").load(Slab);
    T.on(0, "work").store(Slab + 8);
  }
  const TypeRow Packet = typeOf(T.profile(), "packet");
  EXPECT_EQ(words(flowSteps(Packet.Paths, true, 0, 100)),
            "1\n>1 make poll work");
}

TEST(Flow, ASlotThatIsUsedAgainIsAnotherStory) {
  KnownTrace T;
  T.on(0, "make").alloc(Slab).store(Slab);
  T.on(0, "drop").free(Slab);
  T.on(1, "make").alloc(Slab).store(Slab);
  const TypeRow Packet = typeOf(T.profile(), "packet");
  EXPECT_EQ(Packet.Objects, 2u);
  EXPECT_EQ(Packet.MovedObjects, 0u);
  EXPECT_EQ(words(flowSteps(Packet.Paths, true, 0, 100)),
            "2\n>2 make\n>>1 drop (1 ended)");
}

TEST(Flow, WhatWasThereBeforeHasATreeOfItsOwn) {
  KnownTrace T;
  T.on(0, "first").load(KnownTrace::Counter);
  T.on(1, "second").load(KnownTrace::Counter);
  const TypeRow Counter = typeOf(T.profile(), "counter");
  EXPECT_TRUE(flowSteps(Counter.Paths, true, 0, 100).Rows.empty());
  EXPECT_EQ(words(flowSteps(Counter.Paths, false, 0, 100)),
            "1\n>1 first\n>>!1 second");
}

TEST(Flow, LongPathsAreCutAndCounted) {
  KnownTrace T;
  T.on(0, "make").alloc(Slab);
  for (unsigned N = 0; N < 2 * ObjectHistories::MostSteps; ++N)
    T.on(N % 2, "use").load(Slab);
  const TypeRow Packet = typeOf(T.profile(), "packet");
  EXPECT_EQ(Packet.Paths.Cut, 1u);
  EXPECT_LE(Packet.Paths.Nodes.size(), ObjectHistories::MostSteps + 2);
  EXPECT_EQ(Packet.Paths.Nodes.back().Cut, 1u);
}

} // namespace
