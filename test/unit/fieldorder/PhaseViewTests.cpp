// SPDX-License-Identifier: GPL-2.0-or-later
//
// Set-up, teardown and configuration never lead what a report shows.

#include "ReportSamples.h"

#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/fieldorder/GroupView.h"
#include "hybrid/fieldorder/LayoutView.h"
#include "hybrid/fieldorder/PathView.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

const Site Make{"make", "x.c", 1}, Run{"run", "x.c", 2}, Peek{"peek", "x.c", 3};

/// One line, where make() sets up twice as often as run() and peek() use.
Report made(Phase When) {
  test::SampleBuilder B("made");
  uint32_t X = B.field("int", "x", 4), Y = B.field("int", "y", 4);
  B.set(20, SetKind::Visit, CpuRelation::Local, Make,
        {{X, 1, 0, 1, Make}, {Y, 1, 0, 1, Make}});
  B.set(10, SetKind::Visit, CpuRelation::Local, Run,
        {{X, 1, 0, 1, Run}, {Y, 1, 0, 1, Run}});
  B.set(10, SetKind::Visit, CpuRelation::Remote, Peek,
        {{X, 1, 1, 0, Peek}, {Y, 1, 1, 0, Peek}});
  Report R = B.take();
  R.Evidence.Sets[0].When = When;
  R.Evidence.Sets[0].Shared = isOwned(When) ? 0 : 1;
  return R;
}

} // namespace

TEST(PhaseView, Shares) {
  Report R = made(Phase::SetUp);
  EXPECT_DOUBLE_EQ(phaseShare(R.Evidence, Phase::SetUp), 0.5);
  EXPECT_DOUBLE_EQ(phaseShare(R.Evidence, Phase::Steady), 0.5);
  EXPECT_EQ(phaseShare(R.Evidence, Phase::TearDown), 0);
  EXPECT_EQ(phaseWords(R.Evidence),
            "50.0% of visits are set-up (50.0%) or teardown (0.0%), by one CPU "
            "that shares with nobody");
  EXPECT_EQ(phaseWords(made(Phase::Configuration).Evidence),
            "50.0% of visits are configuration");
  EXPECT_EQ(phaseWords(made(Phase::Steady).Evidence), "");
}

TEST(PhaseView, ReasonsAndPathsStartWithSteadyVisits) {
  for (Phase When : {Phase::SetUp, Phase::TearDown, Phase::Configuration}) {
    Report R = made(When);
    std::vector<GroupView> Groups = groupsOf(R, currentView(R));
    ASSERT_EQ(Groups.size(), 1u);
    ASSERT_EQ(Groups[0].Reasons.size(), 3u);
    EXPECT_EQ(Groups[0].Reasons.back().Set, 0u);
    EXPECT_EQ(pathsOf(R).back().Where, Make);
  }
  Report R = made(Phase::Steady);
  EXPECT_EQ(groupsOf(R, currentView(R))[0].Reasons.front().Set, 0u);
}

TEST(PhaseView, OnlySteadyVisitsLead) {
  for (Phase When : {Phase::SetUp, Phase::TearDown, Phase::Configuration}) {
    Report R = made(When);
    std::vector<std::string> Names;
    for (const GroupReason *Why :
         leadingReasons(R, groupsOf(R, currentView(R))[0], 3))
      Names.push_back(Why->By.Where.Function);
    EXPECT_EQ(Names, (std::vector<std::string>{"run", "peek"}));
  }
  // The same place is named once.
  Report R = made(Phase::Steady);
  R.Evidence.Sets[1].Where = R.Evidence.Sets[0].Where;
  EXPECT_EQ(leadingReasons(R, groupsOf(R, currentView(R))[0], 3).size(), 2u);
}

TEST(PhaseView, OwnersOfAnObjectAreNoWritersThatShare) {
  auto Writers = [](Phase When) {
    Report R = made(When);
    std::vector<SharingRisk> Risks =
        sharingRisks(R, currentView(R), currentView(R));
    std::vector<std::string> Names;
    for (const Accessor &Who : Risks.at(0).Writers)
      Names.push_back(Who.At.Where.Function);
    return Names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(Writers(Phase::Steady), (Names{"make", "run"}));
  EXPECT_EQ(Writers(Phase::SetUp), Names{"run"});
  EXPECT_EQ(Writers(Phase::TearDown), Names{"run"});
  EXPECT_EQ(Writers(Phase::Configuration), (Names{"run", "make"}));
}

TEST(PhaseView, OnlySteadyPathsAreNotable) {
  std::vector<PathView> Paths(2);
  for (PathView &Path : Paths)
    Path.Weight = Path.Before = Path.Saved = 1;
  Paths[0].When = Phase::SetUp;
  EXPECT_EQ(notablePaths(Paths, 8).size(), 1u);
  Paths[1].When = Phase::TearDown; // nothing else to show
  EXPECT_EQ(notablePaths(Paths, 8).size(), 2u);
}
