// SPDX-License-Identifier: GPL-2.0-or-later
//
// A field on a line of its own, priced by hand.

#include "Records.h"

#include "hybrid/layout/Advise.h"
#include "hybrid/layout/Remedies.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

/// One line: a counter that the owner writes, r that two others read as often.
AffinityEvidence oneLine() {
  AffinityEvidence E;
  E.Record =
      record({field("count", 8), field("r", 8), field("rest", 48, 8)}, 64);
  E.Sets = {visit(60, {touch(0, 1, 1)}, CpuRelation::Local),
            visit(60, {touch(1)}, CpuRelation::Remote)};
  E.Fields.resize(3);
  return E;
}

TEST(Remedies, AFieldThatNoOrderCanPart) {
  LayoutOptions Alone;
  Alone.AccessesPerStay = 0; // every visit is a stay
  const Advice A = advise(oneLine(), Alone);
  EXPECT_EQ(A.What, Verdict::Keep);
  ASSERT_EQ(A.Remedies.size(), 2u); // either way they are apart
  const Remedy &First = A.Remedies[0];
  EXPECT_FALSE(First.Lock);
  EXPECT_EQ(First.Bytes, 64u);
  // lost = m(2 * 60, 60), of which nothing is left; the second line is one of
  // 120 visits' padding.
  EXPECT_NEAR(First.Saves, 4 * (120 * 60 / 180.0) - 0.01 * 120, 1e-9);
  EXPECT_DOUBLE_EQ(First.Saves, A.Remedies[1].Saves);
}

TEST(Remedies, WhatIsWrittenTogetherGetsALineTogether) {
  // Two counters that others write, among what the owner reads: one alone
  // leaves the other beside it.
  AffinityEvidence E;
  E.Record = record({field("a", 8), field("b", 8), field("r", 8), field("s", 8),
                     field("rest", 32, 8)},
                    64);
  E.Sets = {visit(60, {touch(2), touch(3)}, CpuRelation::Local),
            visit(60, {touch(0, 1, 1), touch(1, 1, 1)}, CpuRelation::Remote)};
  E.Fields.resize(5);
  LayoutOptions Alone;
  Alone.AccessesPerStay = 0;
  const Advice A = advise(E, Alone);
  ASSERT_FALSE(A.Remedies.empty());
  std::vector<uint32_t> Pair = A.Remedies[0].Fields;
  std::ranges::sort(Pair);
  EXPECT_TRUE(Pair == std::vector({0u, 1u}) || Pair == std::vector({2u, 3u}));
  EXPECT_EQ(A.Remedies[0].Bytes, 64u);
  // The owner loses m(60, 60), of which nothing is left; what the writers lose
  // to each other stays.
  EXPECT_NEAR(A.Remedies[0].Saves, 4 * (60 * 60 / 120.0) - 0.01 * 120, 1e-9);
  for (size_t I = 1; I < A.Remedies.size(); ++I)
    EXPECT_EQ(A.Remedies[I].Fields.size(), 1u);
}

TEST(Remedies, NoneWhereNobodyLosesALine) {
  AffinityEvidence E = oneLine();
  E.Sets[1].Cpu = CpuRelation::Local;
  EXPECT_TRUE(advise(E).Remedies.empty());
  E = oneLine();
  E.Record.Fields[0].ExplicitAlignBytes = 64;
  E.Record.Fields[1].Group = 0;
  E.Record.Groups.push_back({});
  JoinedConfigs One;
  One.Joint = E.Record;
  One.Configs.push_back(E);
  EXPECT_TRUE(
      remedies(LayoutProblem(One, LayoutOptions()), std::vector{0u, 1u, 2u})
          .empty())
      << "one is aligned, one in an anonymous struct";
}

TEST(Remedies, NoneOfWhatMayNotMove) {
  auto Of = [](const AffinityEvidence &E) { return advise(E).Remedies.size(); };
  AffinityEvidence E = oneLine();
  E.Rules = {{RuleKind::AllFixed, {}, "an interface", {}}};
  EXPECT_EQ(Of(E), 0u);
  E.Rules = {{RuleKind::ImmovableField, {0}, "others cast to it", {}}};
  EXPECT_EQ(Of(E), 1u) << "the other field is free";
  E.Rules.clear();
  E.Record.Packed = true;
  EXPECT_EQ(Of(E), 0u);
  E = oneLine();
  E.Record.Fields[2] = field("tail", 0, 8);
  E.Record.Fields[2].FlexibleArray = true;
  EXPECT_EQ(Of(E), 0u);
  E = oneLine();
  E.Users.Exclusive = true;
  EXPECT_EQ(Of(E), 0u);
}

TEST(Remedies, ALockBesideItsDataIsRightUntilCpusWait) {
  AffinityEvidence E;
  E.Record =
      record({field("lock", 8), field("data", 8), field("rest", 48, 8)}, 64);
  FieldTouch Data = touch(1, 1, 4);
  Data.Reads = 4;
  E.Sets = {visit(100, {touch(0, 1, 1), Data}, CpuRelation::Chosen)};
  E.Fields.resize(3);
  E.Fields[0].Lock = 200;
  const Advice A = advise(E);
  ASSERT_EQ(A.Remedies.size(), 1u);
  EXPECT_TRUE(A.Remedies[0].Lock);
  EXPECT_LT(A.Remedies[0].Saves, 0) << "two lines to lose instead of one";
  // Together 100 holds lose A V / (A + V) = 1 * 8 / 9 of their accesses more.
  EXPECT_NEAR(A.Remedies[0].IfContended - A.Remedies[0].Saves,
              4 * 100 * 8 / 9.0, 1e-6);
}

} // namespace
