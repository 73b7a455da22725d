// SPDX-License-Identifier: GPL-2.0-or-later

#include "Records.h"

#include "hybrid/layout/OrderPrice.h"
#include "hybrid/layout/Placement.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

RecordInfo sample() {
  RecordInfo R =
      record({field("lock", 8), field("wide", 72, 8), field("count", 8),
              field("left|right", 8), field("tail", 0, 8)});
  R.Fields[3].Anonymous = true;
  R.Fields[3].Members = {"left", "right"};
  R.Fields[4].FlexibleArray = true;
  return R;
}

std::string errorOf(const std::string &Text) {
  return parsePlacement(sample(), Text).error();
}

TEST(Placement, EveryForm) {
  struct Case {
    const char *Text;
    PlacementKind Kind;
    uint32_t Field, Other, Line;
  };
  for (const Case &C :
       {Case{"lock", PlacementKind::Stay, 0, 0, 0},
        Case{"wide=first", PlacementKind::First, 1, 0, 0},
        Case{"count=last", PlacementKind::Last, 2, 0, 0},
        Case{"count=line:12", PlacementKind::Line, 2, 0, 12},
        Case{"count=with:lock", PlacementKind::With, 2, 0, 0},
        Case{"right=apart:count", PlacementKind::Apart, 3, 2, 0}}) {
    Result<Placement> Got = parsePlacement(sample(), C.Text);
    ASSERT_TRUE(Got) << C.Text << ": " << Got.error();
    EXPECT_EQ(Got->Kind, C.Kind) << C.Text;
    EXPECT_EQ(Got->Field, C.Field) << C.Text;
    EXPECT_EQ(Got->Other, C.Other) << C.Text;
    EXPECT_EQ(Got->Line, C.Line) << C.Text;
  }
}

TEST(Placement, MistakesSayWhatWasExpected) {
  EXPECT_EQ(errorOf("cuont=first"), "'sample' has no top-level field 'cuont'; "
                                    "did you mean 'count'?");
  EXPECT_EQ(errorOf("ght=first"), "'sample' has no top-level field 'ght'");
  EXPECT_EQ(errorOf("=first"), "'sample' has no top-level field ''");
  EXPECT_EQ(errorOf("count=next"), "'next' is none of first, last, line:N, "
                                   "with:OTHER, apart:OTHER");
  EXPECT_EQ(errorOf("count=line:-1"),
            "'-1' is not the number of a line (0, 1, ...)");
  EXPECT_EQ(errorOf("count=line:1x"),
            "'1x' is not the number of a line (0, 1, ...)");
  EXPECT_EQ(errorOf("count=with:count"),
            "'count=with:count' names the same field twice");
  EXPECT_EQ(errorOf("count=apart:none"),
            "'sample' has no top-level field 'none'");
}

TEST(Placement, MetOrNotByOffsets) {
  RecordInfo R = sample(); // lock 0, wide 8..80, count 80, left|right 88
  Layout Plan = statedLayout(R);
  auto Met = [&](const char *Text) {
    return meets(*parsePlacement(R, Text), R, Plan.Order, Plan.OffsetBits, 64);
  };
  EXPECT_TRUE(Met("lock=first"));
  EXPECT_FALSE(Met("wide=first"));
  EXPECT_TRUE(Met("left=last")); // the flexible array does not count
  EXPECT_FALSE(Met("count=last"));
  EXPECT_TRUE(Met("count=line:1"));
  EXPECT_FALSE(Met("wide=line:0")); // reaches into line 1
  EXPECT_TRUE(Met("wide=with:lock"));
  EXPECT_FALSE(Met("count=with:wide")); // first bytes: lines 0 and 1
  EXPECT_FALSE(Met("count=apart:wide"));
  EXPECT_TRUE(Met("count=apart:lock"));
}

TEST(OrderPrice, SumsConfigsAndPricesBrokenDemands) {
  RecordInfo R = record({field("a", 8), field("b", 56, 8), field("c", 8)});
  std::vector<CoAccessSet> Sets{visit(3, {touch(0), touch(2)})};
  CostOptions Narrow, Wide;
  Narrow.InstanceAlignBytes = Wide.InstanceAlignBytes = 128;
  Wide.LineBytes = 128;
  LayoutCost At64(R, Sets, Narrow);
  LayoutCost At128(R, Sets, Wide);
  Constraints Rules(R);
  SearchSpace Space(R, Rules,
                    {SearchConfig{FieldOffsets(R), &At64, 1},
                     SearchConfig{FieldOffsets(R), &At128, 0.5}},
                    {*parsePlacement(R, "c=first")});
  // Lines of 64: a and c on two; of 128: on one. c is not first.
  const double Penalty = Space.placementPenalty();
  EXPECT_GT(Penalty, 3 * 2 + 0.5 * 3 * 1);
  MoveUnitOrder Declared{0, 1, 2}, Better{2, 0, 1};
  OrderPrice Price(Space, Declared);
  EXPECT_DOUBLE_EQ(Price.price().Lines, 3 * 2 + 0.5 * 3 * 1);
  EXPECT_DOUBLE_EQ(Price.total(), 7.5 + Penalty);
  EXPECT_DOUBLE_EQ(Space.price(Declared), Price.total());
  EXPECT_DOUBLE_EQ(Price.trial(Better), 3 * 1 + 0.5 * 3 * 1);
  Price.commit();
  EXPECT_DOUBLE_EQ(Price.total(), 4.5);
  EXPECT_DOUBLE_EQ(Space.price(Better), 4.5);
}

TEST(OrderPrice, WordsBeyondTheMostAreBrokenDemands) {
  // 4 + 60 bytes fill a line; 60 bytes before 4, aligned to 8, need two.
  RecordInfo Two = record({field("a", 4, 8), field("b", 60, 4)});
  ASSERT_EQ(Two.SizeBytes, 64u);
  LayoutCost Model(Two, std::vector{visit(2, {touch(0)})}, {});
  Constraints Rules(Two);
  SearchConfig In{FieldOffsets(Two), &Model, 1};
  In.MostBytes = 64;
  SearchSpace Space(Two, Rules, {In}, {});
  MoveUnitOrder Declared{0, 1}, Wide{1, 0};
  ASSERT_EQ(Space.layout(Wide).SizeBytes, 72u);
  EXPECT_EQ(Space.broken(Wide, Space.layout(Wide).OffsetBits), 1u);
  OrderPrice Price(Space, Declared);
  EXPECT_DOUBLE_EQ(Price.total(), Model.price(Space.layout(Declared)).total());
  EXPECT_DOUBLE_EQ(Price.trial(Wide), Model.price(Space.layout(Wide)).total() +
                                          Space.placementPenalty());
  EXPECT_DOUBLE_EQ(Space.price(Wide), Price.trial(Wide));
}

TEST(SearchSpace, BitFieldsOfTwoRunsMustNotMeet) {
  RecordInfo R = record({bits("own", 3), field("a", 8), bits("other", 4),
                         bits("more", 2), field("b", 8), marker("m")});
  LayoutCost Model(R, std::vector{visit(2, {touch(0), touch(2)})}, {});
  Constraints Rules(R);
  auto Unmet = [&](const SearchSpace &Space, std::vector<uint32_t> Fields) {
    return Space.unmet(Fields, Space.offsets().layout(Fields).OffsetBits);
  };
  SearchSpace Space(R, Rules, Model);
  EXPECT_EQ(Unmet(Space, {0, 1, 2, 3, 4, 5}), 0u);
  EXPECT_EQ(Unmet(Space, {0, 2, 3, 1, 4, 5}), 1u);
  EXPECT_EQ(Unmet(Space, {2, 3, 0, 1, 4, 5}), 1u);
  EXPECT_EQ(Unmet(Space, {0, 5, 2, 3, 1, 4}), 1u); // a marker parts nothing
  EXPECT_EQ(Unmet(Space, {2, 3, 1, 0, 4, 5}), 0u);
  EXPECT_GT(Space.price(std::vector<uint32_t>{0, 2, 1, 3, 4}), // move units
            Space.placementPenalty());
  // Where some configuration lacks `a`, it parts nothing.
  RecordInfo Without = R;
  Without.Fields[1].Absent = true;
  Without.Fields[1].SizeBits = 0;
  SearchSpace Two(R, Rules,
                  {SearchConfig{FieldOffsets(R), &Model, 1},
                   SearchConfig{FieldOffsets(Without), &Model, 1}},
                  {});
  EXPECT_EQ(Unmet(Two, {0, 1, 2, 3, 4, 5}), 0u); // as declared
  EXPECT_EQ(Unmet(Two, {2, 3, 1, 0, 4, 5}), 0u);
  EXPECT_EQ(Unmet(Two, {2, 3, 4, 0, 1, 5}), 0u);
}

TEST(InstanceAlignment, LongRecordsStartOnALine) {
  auto Of = [](uint64_t Size, uint32_t Align, uint32_t Line) {
    RecordInfo R;
    R.SizeBytes = Size;
    R.AlignBytes = Align;
    return instanceAlignment(R, Line);
  };
  EXPECT_EQ(Of(96, 8, 64), 8u); // kmalloc-96
  EXPECT_EQ(Of(104, 8, 64), 64u);
  EXPECT_EQ(Of(192, 8, 128), 8u); // kmalloc-192
  EXPECT_EQ(Of(200, 8, 128), 128u);
  EXPECT_EQ(Of(64, 64, 64), 64u);
  EXPECT_EQ(Of(4096, 4096, 64), 4096u);
}

TEST(InstanceAlignment, OfSlabCaches) {
  auto Of = [](uint64_t Size, std::vector<SlabInfo> Slabs, uint32_t Line = 64) {
    RecordInfo R;
    R.SizeBytes = Size;
    R.AlignBytes = 8;
    R.Slabs = std::move(Slabs);
    return instanceAlignment(R, Line);
  };
  const SlabInfo Plain, Lines{.OnLines = true}, Behind{.LinkBehind = true};
  EXPECT_EQ(Of(104, {Plain}), 8u);  // 0, 104, 208, ...
  EXPECT_EQ(Of(160, {Plain}), 32u); // 0, 160, 320, ...
  EXPECT_EQ(Of(192, {Plain}), 64u);
  EXPECT_EQ(Of(100, {Plain}), 8u); // rounded up to 104
  EXPECT_EQ(Of(160, {{.AlignBytes = 64}}), 64u);
  EXPECT_EQ(Of(160, {Lines}), 64u);
  EXPECT_EQ(Of(160, {Lines}, 128), 128u);
  EXPECT_EQ(Of(24, {Lines}), 32u); // two to a line
  EXPECT_EQ(Of(192, {Behind}), 8u);
  EXPECT_EQ(Of(184, {Behind}), 64u);
  EXPECT_EQ(Of(160, {Lines, Plain}), 32u);
  EXPECT_EQ(Of(0, {Lines}), 64u);
  EXPECT_EQ(Of(124, {{.PointerBytes = 4, .LinkBehind = true}}), 64u);
}

} // namespace
