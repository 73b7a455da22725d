// SPDX-License-Identifier: GPL-2.0-or-later
//
// The cost formula written out by hand.

#include "Records.h"

#include "hybrid/layout/SearchSpace.h"
#include "hybrid/layout/bound/Bound.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace kst;
using namespace kst::test;

namespace {

Cost priceOf(const RecordInfo &R, const std::vector<CoAccessSet> &Sets,
             const CostOptions &O, std::vector<uint32_t> Order) {
  return LayoutCost(R, Sets, O).price(FieldOffsets(R).layout(Order));
}

TEST(LayoutCost, ExpectedLinesWrittenOut) {
  // a and b on line 0, c on line 1 of an aligned instance.
  RecordInfo R = record(
      {field("a", 8), field("b", 8), field("pad", 48, 8), field("c", 8)}, 64);
  std::vector<CoAccessSet> Sets{
      visit(10, {touch(0, 0.5), touch(1, 0.25), touch(3, 0.8)})};
  Cost C = priceOf(R, Sets, {}, {0, 1, 2, 3});
  EXPECT_NEAR(C.Lines, 10 * ((1 - 0.5 * 0.75) + 0.8), 1e-12);
  EXPECT_EQ(C.Sharing, 0);
  EXPECT_EQ(C.Padding, 0);
  // All three on one line.
  C = priceOf(R, Sets, {}, {0, 1, 3, 2});
  EXPECT_NEAR(C.Lines, 10 * (1 - 0.5 * 0.75 * 0.2), 1e-12);
}

TEST(LayoutCost, AFieldAcrossABoundaryTouchesBothLinesALargeOneOnlyItsFirst) {
  RecordInfo R = record(
      {field("pad", 60, 4), field("s", 8, 4), field("large", 200, 4)}, 64);
  CostOptions O;
  EXPECT_DOUBLE_EQ(priceOf(R, {visit(3, {touch(1)})}, O, {0, 1, 2}).Lines, 6);
  EXPECT_DOUBLE_EQ(priceOf(R, {visit(3, {touch(2)})}, O, {0, 1, 2}).Lines, 3);
}

TEST(LayoutCost, OfALargeFieldThePlacesThatAreKnownCount) {
  RecordInfo R =
      record({field("large", 136, 8), field("a", 8), field("b", 56)}, 64);
  FieldTouch Large = touch(0, 1, 1);
  Large.Spots = {{8, 0.5, 0}, {72, 0.25, 0}, {128, 1, 1}};
  std::vector<CoAccessSet> Sets{visit(4, {Large, touch(1)})};
  // Bytes 8, 72 and 128 of large on lines 0, 1 and 2; a on line 2 as well.
  EXPECT_DOUBLE_EQ(priceOf(R, Sets, {}, {0, 1, 2}).Lines, 4 * (0.5 + 0.25 + 1));
  // Behind b, bytes 8 and 72 are on lines 1 and 2, and 128 is on line 2, too.
  EXPECT_DOUBLE_EQ(priceOf(R, Sets, {}, {2, 0, 1}).Lines, 4 * (0.5 + 1 + 1));
  // Heat is the field's.
  EXPECT_DOUBLE_EQ(LayoutCost(R, Sets).heat(0), 4);
  // A line of 256 bytes has room for all of it.
  CostOptions Wide;
  Wide.LineBytes = Wide.InstanceAlignBytes = 256;
  EXPECT_DOUBLE_EQ(priceOf(R, Sets, Wide, {0, 1, 2}).Lines, 4);
}

TEST(LayoutCost, TheSizeMovesObjectsOfSlabCaches) {
  // 64 bytes in a plain cache: on lines. 72 bytes: anywhere.
  RecordInfo R = record({field("a", 8), field("b", 56)});
  R.Slabs.emplace_back();
  LayoutCost Model(R, {{visit(8, {touch(0), touch(1)})}});
  Layout Plan = statedLayout(R);
  EXPECT_DOUBLE_EQ(Model.price(Plan).total(), 8);
  Plan.SizeBytes = 72;
  EXPECT_DOUBLE_EQ(Model.price(Plan).Lines, 8 * (1 + 7.0 * 2) / 8);
  // A search is kept from that size.
  EXPECT_GE(Model.padding(72) - Model.padding(64), 8);
}

TEST(LayoutCost, AveragesOverTheStartsOfUnalignedInstances) {
  // 16 bytes at offset 0 of instances at multiples of 8: one of the 8 starts
  // (56) splits them.
  RecordInfo R = record({field("a", 8), field("b", 8)});
  std::vector<CoAccessSet> Sets{visit(8, {touch(0), touch(1)})};
  EXPECT_DOUBLE_EQ(priceOf(R, Sets, {}, {0, 1}).Lines, 8 * (7.0 * 1 + 2) / 8);
  CostOptions Aligned;
  Aligned.InstanceAlignBytes = 64;
  EXPECT_DOUBLE_EQ(priceOf(R, Sets, Aligned, {0, 1}).Lines, 8);
}

TEST(LayoutCost, SharingCountsVisitsThatFindALineLostTimesLambda) {
  RecordInfo R =
      record({field("w", 8), field("r", 8), field("pad", 56, 8)}, 64);
  // 6 local visits write w; 10 remote ones, 5 of each of two CPUs, read r. In
  // random order, 6 / (6 + 5) of these come after a write.
  std::vector<CoAccessSet> Sets{visit(6, {touch(0, 1, 3)}, CpuRelation::Local),
                                visit(10, {touch(1)}, CpuRelation::Remote)};
  CostOptions O;
  O.On = lineMachine(5);
  EXPECT_DOUBLE_EQ(priceOf(R, Sets, O, {0, 1, 2}).Sharing,
                   5 * 10 * 6 / (6 + 5.0));
  EXPECT_DOUBLE_EQ(priceOf(R, Sets, O, {0, 2, 1}).Sharing, 0);
}

TEST(LayoutCost, PaddingCountsLinesBeyondTheMinimum) {
  // 8 + 64 + 56 bytes fit two lines; the aligned field in the middle makes
  // three of them.
  RecordInfo R = record(
      {field("a", 8), aligned(field("b", 64, 8), 64), field("c", 56, 8)});
  std::vector<CoAccessSet> Sets{visit(100, {touch(0), touch(1)})};
  CostOptions O;
  O.LambdaPad = 0.5;
  EXPECT_DOUBLE_EQ(priceOf(R, Sets, O, {0, 1, 2}).Padding, 0.5 * 100 * 1);
  EXPECT_DOUBLE_EQ(priceOf(R, Sets, O, {1, 0, 2}).Padding, 0);
}

TEST(LayoutCost, ALineIsLostOnceForAllFieldsOfAVisit) {
  // b and c are used together: beside w they are lost together.
  RecordInfo R = record({field("w", 8), field("b", 8), field("c", 8),
                         field("pad", 40, 8), field("far", 16, 8)},
                        64);
  auto SharingOf = [&](std::vector<uint32_t> Order, double Written) {
    return priceOf(R,
                   {visit(6, {touch(0, 1, 1)}, CpuRelation::Local),
                    visit(6, {touch(1, 1, Written), touch(2, 1, Written)},
                          CpuRelation::Remote)},
                   {}, Order)
        .Sharing;
  };
  const double Lost = 6 * 2 * 6 / (2 * 6 + 6.0); // n W_o = 12, V_r = 6
  EXPECT_DOUBLE_EQ(SharingOf({0, 1, 2, 3, 4}, 0), 4 * Lost);
  EXPECT_DOUBLE_EQ(SharingOf({0, 1, 4, 3, 2}, 0), 4 * Lost);
  // Two CPUs take turns: m(6, 6) of their own visits find b and c lost.
  EXPECT_DOUBLE_EQ(SharingOf({0, 3, 4, 1, 2}, 1), 4 * 6 * 6 / 12.0);
  EXPECT_DOUBLE_EQ(SharingOf({0, 3, 4, 1, 2}, 0), 0);
}

TEST(LayoutCost, RemoteVisitsCountOnceAsWell) {
  RecordInfo R = record(
      {field("a", 8), aligned(field("b", 64, 8), 64), field("c", 56, 8)});
  std::vector<CoAccessSet> Sets{visit(10, {touch(0, 0.5)}, CpuRelation::Remote),
                                visit(30, {touch(0)}, CpuRelation::Local)};
  CostOptions O;
  O.LambdaPad = 0.5;
  LayoutCost Model(R, Sets, O);
  EXPECT_DOUBLE_EQ(Model.visits(), 10 + 30);
  EXPECT_DOUBLE_EQ(Model.heat(0), 10 * 0.5 + 30);
  EXPECT_DOUBLE_EQ(Model.price(statedLayout(R)).Padding, 0.5 * (10 + 30));
}

TEST(LayoutCost, EqualSetsAreOne) {
  RecordInfo R = record({field("a", 8), field("b", 8)});
  std::vector<CoAccessSet> Sets{visit(2, {touch(0), touch(1)}),
                                visit(3, {touch(0), touch(1)})};
  LayoutCost Model(R, Sets);
  EXPECT_EQ(Model.setCount(), 1u);
  EXPECT_DOUBLE_EQ(Model.weight(0), 5);
  // Also if only one of them is remote; but not if one writes.
  Sets.push_back(visit(7, {touch(0), touch(1)}, CpuRelation::Remote));
  LayoutCost Remote(R, Sets);
  EXPECT_EQ(Remote.setCount(), 1u);
  EXPECT_DOUBLE_EQ(Remote.weight(0), 5 + 7);
  EXPECT_DOUBLE_EQ(Remote.meeting(0).Owner, 5);
  EXPECT_DOUBLE_EQ(Remote.meeting(0).Others, 7);
  Sets.push_back(visit(1, {touch(0, 1, 1), touch(1)}));
  EXPECT_EQ(LayoutCost(R, Sets).setCount(), 2u);
}

TEST(Bound, WrittenOut) {
  // Three fields of 32 bytes, each touched with probability 1/2: three at once
  // (1/8) need two lines, one or two of them (6/8) one line.
  std::vector<uint64_t> Bits{256, 256, 256};
  std::vector<double> P{0.5, 0.5, 0.5};
  EXPECT_DOUBLE_EQ(leastLines(Bits, P, 64), 2 * 0.125 + 1 * 0.75);
  EXPECT_DOUBLE_EQ(leastLines(Bits, P, 128), 0.875);
  EXPECT_DOUBLE_EQ(gap(11, 10), 0.1);
  EXPECT_DOUBLE_EQ(gap(0, 0), 0);
}

TEST(Bound, HoldsForEveryOrderOfSmallRecords) {
  std::mt19937 Rng(9);
  for (int I = 0; I < 20; ++I) {
    RecordInfo R = randomRecord(Rng, 6);
    std::vector<CoAccessSet> Sets = randomSets(Rng, 6, 5);
    LayoutCost Model(R, Sets);
    double Bound = lowerBound(R, Model);
    std::vector<uint32_t> Order = declarationOrder(R);
    FieldOffsets Place(R);
    do
      ASSERT_GE(Model.price(Place.layout(Order)).total(), Bound * (1 - 1e-12));
    while (std::next_permutation(Order.begin(), Order.end()));
  }
}

} // namespace
