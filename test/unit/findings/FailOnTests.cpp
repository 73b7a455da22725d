// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/findings/FailOn.h"
#include "hybrid/findings/Ignored.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

Finding finding(FindingKind Kind, double Amount, Grade How = Grade::Low) {
  Finding F;
  F.Kind = Kind;
  F.Amount = Amount;
  F.How = How;
  F.Struct = "rq";
  F.Fields = {"cpu"};
  return F;
}

bool fails(const std::string &Word, const Finding &F) {
  auto Some = FailOn::parse({Word}, baselineKinds());
  EXPECT_TRUE(Some) << Some.error();
  return Some && Some->matches(F);
}

TEST(FailOn, GradesKindsAndAmounts) {
  const Finding Cost = finding(FindingKind::CostGrew, 0.04, Grade::Medium);
  EXPECT_TRUE(fails("cost", Cost));
  EXPECT_TRUE(fails("cost+3%", Cost));
  EXPECT_FALSE(fails("cost+4%", Cost));
  EXPECT_FALSE(fails("cost+5%", Cost));
  EXPECT_FALSE(fails("size", Cost));
  EXPECT_TRUE(fails("medium", Cost));
  EXPECT_FALSE(fails("high", Cost));
  EXPECT_TRUE(fails("lines", finding(FindingKind::LineMore, 1)));
  EXPECT_TRUE(fails("line-more+1", finding(FindingKind::LineMore, 2)));
  EXPECT_FALSE(fails("lines+1", finding(FindingKind::LineMore, 1)));
}

TEST(FailOn, WhatIsNoWord) {
  for (const char *Word :
       {"", "never", "cost+", "cost+x%", "cost+5", "lines+5%", "left-group+1",
        "high+1", "cost+5%%", "cost+-5%", "assertion", "row-code"})
    EXPECT_FALSE(FailOn::parse({Word}, baselineKinds())) << Word;
  EXPECT_TRUE(FailOn::parse({"assertion"}, reviewKinds()));
  EXPECT_TRUE(FailOn::parse({"row-code"}, groupKinds()));
}

TEST(FailOn, TheLeastAmountOfAKind) {
  auto Some = FailOn::parse({"cost+5%", "cost+0.5%"}, baselineKinds());
  ASSERT_TRUE(Some);
  EXPECT_DOUBLE_EQ(*Some->allowed(FindingKind::CostGrew), 0.005);
  EXPECT_FALSE(Some->allowed(FindingKind::LineMore));
}

TEST(Ignored, KindsStructsAndFields) {
  for (const char *Word : {"size", "rq", "rq.cpu"}) {
    FindingList List;
    List.Findings = {finding(FindingKind::SizeGrew, 0.1)};
    auto Some = Ignored::parse({Word}, baselineKinds());
    ASSERT_TRUE(Some) << Some.error();
    EXPECT_TRUE(Some->apply(List).empty());
    EXPECT_TRUE(List.Findings.empty()) << Word;
    EXPECT_EQ(List.Suppressed, 1u);
  }
  FindingList List;
  List.Findings = {finding(FindingKind::SizeGrew, 0.1)};
  EXPECT_EQ(Ignored::parse({"cost", "task_struct", "rq.clock"}, baselineKinds())
                ->apply(List),
            (std::vector<std::string>{"task_struct", "rq.clock"}));
  EXPECT_EQ(List.Findings.size(), 1u);
  for (const char *Word : {"", "no-kind", ".cpu", "rq."})
    EXPECT_FALSE(Ignored::parse({Word}, baselineKinds())) << Word;
}

TEST(Finding, EveryKindHasItsWord) {
  for (auto Kinds : {reviewKinds(), baselineKinds(), groupKinds()})
    for (FindingKind Kind : Kinds)
      EXPECT_EQ(parseFindingKind(toWord(Kind)), Kind) << toWord(Kind);
}

} // namespace
