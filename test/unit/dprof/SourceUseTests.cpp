// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/SourceUse.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

enum : uint32_t { A, B, C };

CoAccessSet visit(const char *Owner, double Weight,
                  std::vector<FieldTouch> Touches,
                  CpuRelation Cpu = CpuRelation::Local,
                  Phase When = Phase::Steady) {
  CoAccessSet Out;
  Out.Weight = Weight;
  Out.Cpu = Cpu;
  Out.When = When;
  Out.Where = {Owner, "a.c", 1};
  Out.Touches = std::move(Touches);
  return Out;
}

FieldTouch touch(uint32_t Field, double Probability, const char *Function,
                 double Reads, double Writes) {
  FieldTouch Out;
  Out.Field = Field;
  Out.Probability = Probability;
  Out.Sites = {{{Function, "a.c", 2 + Field}, Reads, Writes}};
  return Out;
}

const std::vector<uint32_t> Themselves = {A, B, C};

/// f: 10 visits use A, half of them B. g: 30 visits use A alone, for another
/// CPU. h writes C.
std::vector<CoAccessSet> sets() {
  return {
      visit("g", 30, {touch(A, 1, "get", 2, 0)}, CpuRelation::Remote),
      visit("f", 10, {touch(A, 1, "get", 1, 0), touch(B, 0.5, "f", 0, 0.5)}),
      visit("h", 5, {touch(C, 1, "h", 0, 1)})};
}

TEST(SourceUse, SharesAreOfVisits) {
  const auto Sets = sets();
  const SourceUse Source(Sets, Themselves);
  // All visits to A: 40, with B: 5. Those to B: all with A.
  EXPECT_DOUBLE_EQ(Source.together(A, B)->Share, 5.0 / 40);
  EXPECT_EQ(Source.together(A, B)->Where.Function, "f");
  EXPECT_DOUBLE_EQ(Source.together(B, A)->Share, 1);
  EXPECT_DOUBLE_EQ(Source.together(A, C)->Share, 0);
  EXPECT_TRUE(Source.together(A, C)->Where.Function.empty());
}

TEST(SourceUse, SharesInOneFunctionAreOfWhatItAccesses) {
  const auto Sets = sets();
  const SourceUse Source(Sets, Themselves);
  const Site Get{"get", "a.c", 0}, OtherFile{"get", "b.c", 0};
  // g gets A 60 times, f 10 times, half of these with B.
  EXPECT_DOUBLE_EQ(Source.together(A, B, &Get)->Share, 5.0 / 70);
  EXPECT_FALSE(Source.together(A, B, &OtherFile));
  EXPECT_FALSE(Source.together(B, A, &Get));
}

TEST(SourceUse, WritersAndUsersComeByWeight) {
  const auto Sets = sets();
  const SourceUse Source(Sets, Themselves);
  const auto Users = Source.users(A, false, 9);
  ASSERT_EQ(Users.size(), 1u);
  EXPECT_EQ(Users[0].Where, (Site{"get", "a.c", 2}));
  EXPECT_TRUE(Users[0].OtherCpu); // 60 of 70
  EXPECT_TRUE(Source.users(A, true, 9).empty());
  ASSERT_EQ(Source.users(B, true, 9).size(), 1u);
  EXPECT_FALSE(Source.users(B, true, 9)[0].OtherCpu);
  EXPECT_TRUE(Source.users(B, true, 0).empty());
}

TEST(SourceUse, WhoMakesAnObjectSharesNothing) {
  const std::vector<CoAccessSet> Sets = {
      visit("make", 9, {touch(A, 1, "make", 0, 1), touch(B, 1, "make", 0, 1)},
            CpuRelation::Local, Phase::SetUp)};
  const SourceUse Source(Sets, Themselves);
  EXPECT_FALSE(Source.uses(A));
  EXPECT_FALSE(Source.together(A, B));
}

TEST(SourceUse, FieldsThatStandForOthersAreOne) {
  const std::vector<CoAccessSet> Sets = {
      visit("f", 2,
            {touch(A, 0.5, "f", 1, 0), touch(B, 0.5, "f", 1, 0),
             touch(C, 1, "f", 1, 0)})};
  const SourceUse Source(Sets, {A, A, C});
  EXPECT_DOUBLE_EQ(Source.together(C, A)->Share, 0.75);
  EXPECT_FALSE(Source.uses(B));
}

} // namespace
