// SPDX-License-Identifier: GPL-2.0-or-later
//
// Random orders for the tests of users: legal, and the same each time.

#include "Records.h"

#include "hybrid/layout/RandomOrder.h"

#include <gtest/gtest.h>

#include <set>

using namespace kst;
using namespace kst::test;

namespace {

struct Problems {
  JoinedConfigs Evidence;
  LayoutProblem Problem;

  explicit Problems(std::vector<SourceRule> Rules)
      : Evidence(evidence(std::move(Rules))),
        Problem(Evidence, LayoutOptions()) {}

  static JoinedConfigs evidence(std::vector<SourceRule> Rules) {
    AffinityEvidence E;
    E.Record =
        record({field("a", 4), field("b", 8), bits("lo", 3), bits("hi", 5),
                field("c", 8), bits("other", 4), field("d", 1), field("e", 4)});
    E.Rules = std::move(Rules);
    JoinedConfigs All;
    All.Joint = E.Record;
    All.Configs.push_back(std::move(E));
    return All;
  }
};

TEST(RandomOrder, ObeysAllRules) {
  const Problems P({{RuleKind::ImmovableField, {1}, "a fence", {}},
                    {RuleKind::Join, {6, 7}, "one macro", {}}});
  std::set<MoveUnitOrder> Orders;
  for (uint64_t Seed = 0; Seed != 200; ++Seed) {
    MoveUnitOrder Order = randomOrder(P.Problem, Seed);
    ASSERT_TRUE(P.Problem.rules().legal(Order));
    std::vector<uint32_t> Fields = P.Problem.rules().fields(Order);
    EXPECT_EQ(Fields[0], 0u);
    EXPECT_EQ(Fields[1], 1u);
    EXPECT_EQ(P.Problem.space().runsThatMeet(Fields), 0u);
    EXPECT_EQ(randomOrder(P.Problem, Seed), Order);
    Orders.insert(Order);
  }
  // {lo hi} c other {d e}: of 24, those 12 in which the bit-fields are apart.
  EXPECT_EQ(Orders.size(), 12u);
}

TEST(RandomOrder, LeavesWhatIsFixed) {
  const Problems P({{RuleKind::AllFixed, {}, "a format", {}}});
  EXPECT_EQ(randomOrder(P.Problem, 3), P.Problem.space().declared());
}

} // namespace
