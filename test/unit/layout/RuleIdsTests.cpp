// SPDX-License-Identifier: GPL-2.0-or-later

#include "Records.h"

#include "hybrid/layout/Constraints.h"
#include "hybrid/layout/LayoutProblem.h"
#include "hybrid/layout/RuleIds.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

SourceRule fence(uint32_t Field, const std::string &Id, const std::string &Why,
                 const Site &Where = {}) {
  SourceRule Rule{RuleKind::ImmovableField, {Field}, Why, Where};
  Rule.Id = Id;
  return Rule;
}

TEST(RuleIds, AreAWordAndAnIdentifier) {
  EXPECT_EQ(ruleId("cast", "next"), "cast:next");
  EXPECT_EQ(ruleId("cast", "donor|curr"), "cast:donor");
  EXPECT_EQ(ruleId("bytes", "ring[0]"), "bytes:ring");
  EXPECT_EQ(ruleId("packed"), "packed");
  EXPECT_EQ(ruleId("cast", "(anonymous)"), "cast");
}

TEST(RuleIds, OneForEachReason) {
  Site Early{"f", "a.c", 3}, Late{"f", "a.c", 30};
  std::vector<SourceRule> Rules = {
      fence(0, "cast:a", "late", Late), fence(0, "cast:a", "early", Early),
      fence(1, "cast:a", "late", Late), fence(1, "cast:b", "early", Early),
      fence(2, "", "x", Early),         fence(2, "", "x", Late)};
  nameApart(Rules);
  EXPECT_EQ(Rules[0].Id, "cast:a.2");
  EXPECT_EQ(Rules[1].Id, "cast:a");
  EXPECT_EQ(Rules[2].Id, "cast:a.2");
  EXPECT_EQ(Rules[3].Id, "cast:b");
  EXPECT_EQ(Rules[4].Id + Rules[5].Id, "");
}

TEST(RuleIds, OnlyWhatIsAskedForIsLifted) {
  std::vector<SourceRule> Rules = {fence(0, "cast:a", "x"),
                                   fence(1, "assert:b", "y"),
                                   fence(2, "cast:a", "x")};
  Rules[1].Unliftable = "the build stops";
  std::vector<SourceRule> Lifted = takeLifted(Rules, {"cast:a", "assert:b"});
  ASSERT_EQ(Lifted.size(), 2u);
  EXPECT_EQ(Lifted[0].Fields[0], 0u);
  EXPECT_EQ(Lifted[1].Fields[0], 2u);
  ASSERT_EQ(Rules.size(), 1u);
  EXPECT_EQ(Rules[0].Id, "assert:b");
}

TEST(RuleIds, LiftedRulesHaveNotesAndHoldNothing) {
  JoinedConfigs Evidence;
  Evidence.Joint =
      record({field("a", 8), field("b", 8), field("c", 8), marker("m")});
  Evidence.Configs.push_back({});
  Evidence.Configs[0].Record = Evidence.Joint;
  Evidence.Configs[0].Rules = {fence(0, "cast:a", "x"),
                               fence(1, "bytes:b", "y")};
  LayoutOptions How;
  SourceRule Join{RuleKind::Join, {0, 1}, "keep together", {}};
  Join.Id = "comment:a";
  How.Rules = {Join};
  How.Lift = {"cast:a", "comment:a"};
  LayoutProblem Problem(Evidence, How);
  EXPECT_EQ(Problem.rules().bricks().size(), 4u);
  std::vector<std::string> Lifted, Obeyed;
  for (const ConstraintNote &Note : Problem.rules().notes())
    (Note.Lifted ? Lifted : Obeyed).push_back(Note.Id);
  EXPECT_EQ(Lifted, (std::vector<std::string>{"comment:a", "cast:a"}));
  EXPECT_EQ(Obeyed, (std::vector<std::string>{"bytes:b", "marker:m"}));
  EXPECT_FALSE(Problem.rules().legal(std::vector<uint32_t>{1, 0, 2, 3}));

  How.Lift.push_back("bytes:b");
  LayoutProblem Freer(Evidence, How);
  EXPECT_TRUE(Freer.rules().legal(std::vector<uint32_t>{1, 0, 2, 3}));
}

TEST(RuleIds, MistakesAreAnswered) {
  std::vector<ConstraintNote> Notes(4);
  Notes[0].Id = "cast:next";
  Notes[1].Id = "comment:next";
  Notes[2].Id = "flexible:tail";
  Notes[2].Why = "flexible array: stays last";
  Notes[2].Unliftable = "the language allows it at the end only";
  Notes[3].Id = "comment:prev";
  Notes[3].Lifted = true;
  EXPECT_EQ(liftProblem(Notes, "cast:next"), "");
  EXPECT_EQ(liftProblem(Notes, "comment:prev"), "");
  EXPECT_EQ(liftProblem(Notes, "flexible:tail"),
            "rule 'flexible:tail' cannot be lifted (flexible array: stays "
            "last): the language allows it at the end only");
  EXPECT_EQ(liftProblem(Notes, "cast:nxet"),
            "there is no rule 'cast:nxet'; did you mean 'cast:next'?");
  EXPECT_EQ(liftProblem(Notes, "prev"),
            "there is no rule 'prev'; did you mean 'comment:prev'?");
  EXPECT_EQ(liftProblem(Notes, "flexible:tall"),
            "there is no rule 'flexible:tall'; the table 'held in place' of "
            "--full shows the ids");
}

} // namespace
