// SPDX-License-Identifier: GPL-2.0-or-later
//
// Places of a new field on a record whose layout and prices fit a comment:
//
//   0 hot 8    0..8
//   1 flag 4   8..12, then a hole of 4
//   2 wide 48  16..64
//   3 cold 8   64..72
//   4 tail 4   72..76, then padding of 4; 80 bytes, 2 lines

#include "Records.h"

#include "hybrid/layout/PlaceField.h"

#include <gtest/gtest.h>

#include <memory>

using namespace kst;
using namespace kst::test;

namespace {

enum : uint32_t { Hot, Flag, Wide, Cold, Tail };

RecordInfo sample() {
  return record({field("hot", 8), field("flag", 4), field("wide", 48, 8),
                 field("cold", 8), field("tail", 4)});
}

struct Place {
  JoinedConfigs Evidence;
  LayoutOptions Options;
  std::unique_ptr<LayoutProblem> Problem;
  NewField Asked;

  Place(RecordInfo R, std::vector<CoAccessSet> Sets, FieldInfo Field,
        std::vector<uint32_t> UsedWith) {
    Options.InstanceAlignBytes = 64;
    Options.AccessesPerStay = 0; // every visit is one
    AffinityEvidence E;
    E.Record = R;
    E.Sets = std::move(Sets);
    Evidence.Joint = std::move(R);
    Evidence.Configs.push_back(std::move(E));
    Asked.Shapes.push_back(std::move(Field));
    Asked.UsedWith = std::move(UsedWith);
  }
  Result<PlaceAdvice> run() {
    Problem = std::make_unique<LayoutProblem>(Evidence, Options);
    return placeField(*Problem, Asked);
  }
  PlaceAdvice advice() {
    Result<PlaceAdvice> Got = run();
    EXPECT_TRUE(Got) << Got.error();
    return Got ? *Got : PlaceAdvice();
  }
};

std::vector<uint32_t> order(const PlaceAdvice &A) {
  std::vector<uint32_t> After;
  for (const Gap &G : A.Gaps)
    After.push_back(G.After);
  return After;
}

const GapInConfig &after(const PlaceAdvice &A, uint32_t Field) {
  for (const Gap &G : A.Gaps)
    if (G.After == Field)
      return G.In.front();
  static const GapInConfig None;
  ADD_FAILURE() << "no place after field " << Field;
  return None;
}

TEST(PlaceField, EveryGapByHand) {
  // Present lines: 10 visits touch line 0, 6 touch line 1: 16.
  Place P(sample(),
          {visit(10, {touch(Hot), touch(Flag, 0.5)}), visit(6, {touch(Cold)})},
          field("n", 4), {Flag});
  PlaceAdvice A = P.advice();
  EXPECT_TRUE(A.Evidence);
  EXPECT_DOUBLE_EQ(A.Visits, 5); // p(n) = p(flag) = 0.5
  EXPECT_DOUBLE_EQ(A.Now.total(), 16);
  EXPECT_DOUBLE_EQ(A.Everywhere, 0);
  // On line 0 it costs nothing, on line 1 half of ten visits touch one more.
  // Of equals: the hole, then what does not grow the record, then what does.
  EXPECT_EQ(order(A),
            (std::vector<uint32_t>{Flag, Hot, Gap::Front, Tail, Cold, Wide}));
  struct Case {
    uint32_t After;
    uint64_t Offset, Size, HoleBits;
    int64_t Grows;
    uint32_t Shifted, LinesChanged;
    double Change;
  };
  for (const Case &C : {
           Case{Flag, 12, 80, 32, 0, 0, 0, 0},
           Case{Hot, 8, 80, 0, 0, 1, 0, 0}, // pushes flag to 12
           // wide goes to 24..72 and reaches into line 1.
           Case{Gap::Front, 0, 88, 0, 8, 5, 1, 0},
           Case{Tail, 76, 80, 32, 0, 0, 0, 5},
           Case{Cold, 72, 80, 0, 0, 1, 0, 5},
           Case{Wide, 64, 88, 0, 8, 2, 0, 5},
       }) {
    const GapInConfig &In = after(A, C.After);
    EXPECT_EQ(In.OffsetBits, 8 * C.Offset) << C.After;
    EXPECT_EQ(In.SizeBytes, C.Size) << C.After;
    EXPECT_EQ(In.HoleBits, C.HoleBits) << C.After;
    EXPECT_EQ(In.Grows, C.Grows) << C.After;
    EXPECT_EQ(In.Shifted, C.Shifted) << C.After;
    EXPECT_EQ(In.LinesChanged, C.LinesChanged) << C.After;
    EXPECT_NEAR(In.Change.Lines, C.Change, 1e-9) << C.After;
    EXPECT_NEAR(In.Change.total(), C.Change, 1e-9) << C.After;
  }
  EXPECT_TRUE(A.Gaps[0].fits());
  EXPECT_FALSE(A.Gaps[1].fits());
  EXPECT_TRUE(A.Gaps[3].End);
}

TEST(PlaceField, TheStrongestOfTheFieldsItIsUsedWithCounts) {
  Place P(sample(),
          {visit(10, {touch(Hot, 0.25), touch(Flag, 0.5)}),
           visit(6, {touch(Hot)}), visit(7, {touch(Cold)})},
          field("n", 4), {Hot, Flag});
  EXPECT_DOUBLE_EQ(P.advice().Visits, 10 * 0.5 + 6 * 1);
}

TEST(PlaceField, WritesOfTheOwnerAwayFromWhatOthersRead) {
  // n is written in 10 local visits; flag is read in 4 remote visits, 2 of each
  // of two CPUs. On one line 2 m(10, 2) = 2 * 10 * 2 / 12 visits find it lost,
  // times 4. Alone on line 1: 10 more lines.
  Place P(
      sample(),
      {visit(10, {touch(Hot)}), visit(4, {touch(Flag)}, CpuRelation::Remote)},
      field("n", 4), {Hot});
  P.Asked.Writes = Writer::Local;
  P.Asked.WriteShare = 1;
  PlaceAdvice A = P.advice();
  EXPECT_DOUBLE_EQ(A.Now.total(), 10 + 4);
  EXPECT_NEAR(after(A, Flag).Change.Sharing, 4 * 40.0 / 12, 1e-9);
  EXPECT_NEAR(after(A, Flag).Change.Lines, 0, 1e-9);
  EXPECT_NEAR(after(A, Tail).Change.Sharing, 0, 1e-9);
  EXPECT_NEAR(after(A, Tail).Change.Lines, 10, 1e-9);
  EXPECT_EQ(A.Gaps.front().After, Tail);

  // Hardly ever written: beside what it is used with.
  P.Asked.WriteShare = 0.01; // 2 m(0.1, 2) = 0.4 / 2.1
  A = P.advice();
  EXPECT_NEAR(after(A, Flag).Change.Sharing, 4 * 0.4 / 2.1, 1e-9);
  EXPECT_EQ(A.Gaps.front().After, Flag);
}

TEST(PlaceField, WritesOfOthersAreVisitsOfTheirOwn) {
  // One remote write for ten uses touches a line wherever it goes. The owner
  // finds that line lost m(1, 10) = 10 / 11 times, or m(1, 16) = 16 / 17 where
  // six more visits read cold; two CPUs that take turns write, 2 m(1/2, 1/2).
  Place P(sample(), {visit(10, {touch(Hot)}), visit(6, {touch(Cold)})},
          field("n", 4), {Hot});
  P.Asked.Writes = Writer::Remote;
  P.Asked.WriteShare = 0.1;
  PlaceAdvice A = P.advice();
  EXPECT_DOUBLE_EQ(A.Visits, 10);
  EXPECT_DOUBLE_EQ(A.Everywhere, 1);
  EXPECT_NEAR(after(A, Flag).Change.Lines, 1, 1e-9);
  EXPECT_NEAR(after(A, Flag).Change.Sharing, 4 * (10.0 / 11 + 0.5), 1e-9);
  EXPECT_NEAR(after(A, Tail).Change.Lines, 1 + 10, 1e-9);
  EXPECT_NEAR(after(A, Tail).Change.Sharing, 4 * (16.0 / 17 + 0.5), 1e-9);
}

TEST(PlaceField, PaddingCountsLinesBeyondTheFewest) {
  // 56 + 8 bytes fill a line; 8 more make two, of which two are needed.
  Place P(record({field("a", 8), field("b", 56, 8)}), {visit(10, {touch(0)})},
          field("n", 8), {0});
  PlaceAdvice A = P.advice();
  EXPECT_EQ(after(A, 0).Grows, 8);
  EXPECT_NEAR(after(A, 0).Change.Padding, 0, 1e-9);
  // Aligned to 64 at the front: 0, a 8, b 16..72, 128 bytes; fewest: 72 -> 128.
  P.Asked.Shapes[0] = aligned(field("n", 8), 64);
  A = P.advice();
  EXPECT_EQ(after(A, Gap::Front).SizeBytes, 128u);
  // Between: a 0, n 64, b 72..128.
  EXPECT_EQ(after(A, 0).OffsetBits, 8 * 64u);
  EXPECT_EQ(after(A, 0).SizeBytes, 128u);
}

TEST(PlaceField, WithoutUsesTheHolesComeFirst) {
  Place P(sample(), {visit(10, {touch(Hot)})}, field("n", 4), {Wide});
  PlaceAdvice A = P.advice();
  EXPECT_FALSE(A.Evidence);
  EXPECT_DOUBLE_EQ(A.Visits, 0);
  EXPECT_EQ(order(A)[0], Flag);
  EXPECT_EQ(order(A)[1], Tail);
  P.Evidence.Configs[0].Sets.clear();
  EXPECT_EQ(order(P.advice())[0], Flag);
}

TEST(PlaceField, NotWhereTheSourceForbidsIt) {
  RecordInfo R =
      record({field("head", 8), bits("lo", 3), bits("hi", 5), field("set", 4),
              field("get", 4), field("data", 0, 4)});
  R.Fields[5].FlexibleArray = true;
  Place P(R, {visit(1, {touch(0)})}, field("n", 4), {0});
  P.Evidence.Configs[0].Rules = {
      {RuleKind::ImmovableField, {0}, "others cast to it", {}},
      {RuleKind::Barrier, {1}, "cleared by f()", {}},
      {RuleKind::Barrier, {4}, "cleared by f()", {}},
  };
  PlaceAdvice A = P.advice();
  // Not before head, not inside the bit-fields, not after data.
  std::vector<uint32_t> Places = order(A);
  std::sort(Places.begin(), Places.end());
  EXPECT_EQ(Places, (std::vector<uint32_t>{0, 2, 3, 4}));
  for (const Gap &G : A.Gaps) {
    std::vector<std::string> Expected;
    if (G.After == 0 || G.After == 3)
      Expected = {"at a border: cleared by f()"};
    else if (G.After == 2)
      Expected = {"inside: cleared by f()"};
    EXPECT_EQ(G.Notes, Expected) << G.After;
    EXPECT_EQ(G.End, G.After == 4) << G.After;
  }
  // The array moves on when something comes before it.
  EXPECT_EQ(after(A, 4).Shifted, 1u);
}

TEST(PlaceField, NotWhereARuleClosesTheRecord) {
  Place P(sample(), {visit(1, {touch(Hot)})}, field("n", 4), {Hot});
  SourceRule Start{
      RuleKind::Closed,   {Hot, Flag}, "s takes it", {"f", "x.c", 7}, "",
      RuleStrength::Hard, ""};
  SourceRule End{RuleKind::Closed,   {5, 5}, "a size ends there", {}, "",
                 RuleStrength::Soft, ""};
  P.Evidence.Configs[0].Rules = {Start, End};
  PlaceAdvice A = P.advice();
  std::vector<uint32_t> Places = order(A);
  std::sort(Places.begin(), Places.end());
  EXPECT_EQ(Places, (std::vector<uint32_t>{Flag, Wide, Cold, Tail}));
  EXPECT_EQ(A.Notes, std::vector<std::string>{
                         "no place from the front to 'flag': s takes it "
                         "(x.c:7)"});
  // A soft rule only warns.
  for (const Gap &G : A.Gaps)
    EXPECT_EQ(G.Notes.size(), G.After == Tail ? 1u : 0u) << G.After;
}

TEST(PlaceField, ABitFieldJoinsARun) {
  Place P(record({field("a", 8), bits("lo", 3), field("b", 8)}),
          {visit(1, {touch(0)})}, bits("n", 5), {0});
  const PlaceAdvice A = P.advice();
  EXPECT_EQ(after(A, 1).OffsetBits, 8u * 8 + 3);
  EXPECT_TRUE(after(A, 1).fits());
  EXPECT_EQ(after(A, 1).HoleBits, 64u - 3);
}

TEST(PlaceField, APackedRecordAlignsNothing) {
  RecordInfo R;
  R.Name = "sample";
  R.Packed = true;
  R.Fields = {field("a", 1), field("b", 4, 1)};
  R.Fields[1].OffsetBits = 8;
  R.SizeBytes = 5;
  Place P(R, {visit(1, {touch(0)})}, field("n", 8), {0});
  PlaceAdvice A = P.advice();
  EXPECT_EQ(after(A, 0).OffsetBits, 8u);
  EXPECT_EQ(after(A, 0).SizeBytes, 13u);
}

TEST(PlaceField, OfSeveralConfigurationsAllMustFit) {
  Place P(sample(), {visit(10, {touch(Hot)})}, field("n", 8), {Hot});
  P.Evidence.Configs.push_back(P.Evidence.Configs[0]);
  P.Asked.Shapes.push_back(field("n", 4)); // a pointer, say
  PlaceAdvice A = P.advice();
  for (const Gap &G : A.Gaps) {
    ASSERT_EQ(G.In.size(), 2u);
    if (G.After != Flag)
      continue;
    EXPECT_EQ(G.In[0].OffsetBits, 8 * 16u); // does not fit the hole of 4
    EXPECT_EQ(G.In[1].OffsetBits, 8 * 12u);
    EXPECT_TRUE(G.In[1].fits());
    EXPECT_FALSE(G.fits());
  }
}

TEST(PlaceField, WhatHasNoPlaces) {
  RecordInfo R = sample();
  R.Union = true;
  for (FieldInfo &F : R.Fields)
    F.OffsetBits = 0;
  EXPECT_EQ(Place(R, {}, field("n", 4), {Hot}).run().error(),
            "'sample' is a union: every member starts at offset 0");
  R = sample();
  R.RandomizeLayout = true;
  EXPECT_EQ(Place(R, {}, field("n", 4), {Hot}).run().error(),
            "'sample' has __randomize_layout: the compiler plugin chooses the "
            "order");
  EXPECT_EQ(Place(sample(), {}, field("cold", 4), {Hot}).run().error(),
            "'sample' has a field 'cold' already");
}

} // namespace
