// SPDX-License-Identifier: GPL-2.0-or-later
//
// The price as fields move against the formula from scratch.

#include "Records.h"

#include "hybrid/affinity/CostState.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace kst;
using namespace kst::test;

namespace {

TEST(CostState, TrialsEqualTheFormulaFromScratch) {
  std::mt19937 Rng(5);
  for (int I = 0; I < 40; ++I) {
    uint32_t N = 3 + Rng() % 50;
    RecordInfo R = randomRecord(Rng, N);
    std::vector<CoAccessSet> Sets = randomSets(Rng, N, 40);
    addRandomSpots(I, R, Sets);
    CostOptions O;
    O.LineBytes = Rng() % 2 ? 64 : 128;
    O.InstanceAlignBytes = Rng() % 2 ? 0 : 16; // several starts
    LayoutCost Model(R, Sets, O);
    std::vector<uint32_t> Order = declarationOrder(R);
    FieldOffsets Place(R);
    CostState State(Model, Place.layout(Order));
    for (int J = 0; J < 60; ++J) {
      std::vector<uint32_t> Next = Order;
      if (Rng() % 2)
        std::swap(Next[Rng() % N], Next[Rng() % N]);
      else
        std::rotate(Next.begin() + Rng() % N / 2, Next.begin() + N / 2,
                    Next.end());
      Layout Plan = Place.layout(Next);
      const uint64_t Before = State.work();
      double Trial = State.trial(Plan.OffsetBits, Plan.SizeBytes);
      const uint64_t Steps = State.work() - Before;
      Cost Full = Model.price(Plan);
      ASSERT_NEAR(Trial, Full.total(), 1e-9 * Full.total());
      // Remembered, it is the same price and takes the clock as far.
      ASSERT_EQ(State.trial(Plan.OffsetBits, Plan.SizeBytes), Trial);
      ASSERT_EQ(State.work(), Before + 2 * Steps);
      if (Rng() % 2)
        continue; // a trial that is not adopted leaves no trace
      State.commit();
      Order = Next;
      ASSERT_EQ(State.price().Lines, Full.Lines);
      ASSERT_EQ(State.price().Sharing, Full.Sharing);
      ASSERT_EQ(State.price().Padding, Full.Padding);
    }
  }
}

TEST(CostState, SizeCountsAlsoWhereNoFieldChangesLine) {
  RecordInfo R = record({field("a", 8), field("b", 8)}, 64);
  CostOptions O;
  O.LambdaPad = 0.5;
  LayoutCost Model(R, {{visit(10, {touch(0), touch(1)})}}, O);
  Layout Plan = statedLayout(R);
  CostState State(Model, Plan);
  EXPECT_DOUBLE_EQ(State.trial(Plan.OffsetBits, 64), 10);
  EXPECT_DOUBLE_EQ(State.trial(Plan.OffsetBits, 256), 10 + 3 * 0.5 * 10);
  EXPECT_DOUBLE_EQ(State.trial(Plan.OffsetBits, 64), 10);
}

} // namespace
