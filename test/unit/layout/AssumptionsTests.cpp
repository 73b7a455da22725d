// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an order costs where one thing is otherwise: against the problem that is
// set up that way from the start.

#include "Records.h"

#include "hybrid/affinity/CpuGrowth.h"
#include "hybrid/layout/Advise.h"
#include "hybrid/layout/Assumptions.h"
#include "hybrid/layout/Scores.h"
#include "hybrid/layout/Stability.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

/// Told and untold visits, a lock that is used with data, loops over CPUs.
AffinityEvidence sample(CpuRelation First = CpuRelation::Local) {
  AffinityEvidence E;
  E.Record = record({field("lock", 8), field("a", 8), field("cold", 40, 8),
                     field("b", 8), field("c", 8), field("rest", 56, 8)},
                    64);
  E.Fields.resize(6);
  E.Fields[0].Lock = 1;
  E.Sets = {visit(60, {touch(0, 1, 1), touch(1), touch(3, 1, 1)}, First),
            visit(30, {touch(3), touch(4)}, CpuRelation::Unknown),
            visit(5, {touch(4, 1, 1)}, CpuRelation::Remote)};
  if (First == CpuRelation::Unknown)
    E.Sets.pop_back();
  turnToCpus(E, 64);
  return E;
}

LayoutOptions options() {
  LayoutOptions O;
  O.On = usualMachine();
  O.AlsoLineBytes = {64, 128};
  return O;
}

JoinedConfigs joined(AffinityEvidence E) {
  JoinedConfigs One;
  One.Joint = E.Record;
  One.Configs.push_back(std::move(E));
  return One;
}

std::vector<std::string> namesOf(const std::vector<Assumption> &All) {
  std::vector<std::string> Names;
  for (const Assumption &Of : All)
    Names.push_back(Of.name());
  return Names;
}

const MoveUnitOrder Orders[] = {{0, 1, 2, 3, 4, 5}, {3, 1, 0, 4, 2, 5}};

double priceIn(const std::vector<Assumption> &All, const std::string &Name,
               const MoveUnitOrder &Order) {
  for (const Assumption &Of : All)
    if (Of.name() == Name)
      return Of.space().price(Order);
  ADD_FAILURE() << "no " << Name;
  return 0;
}

using Names = std::vector<std::string>;

TEST(Assumptions, OfObjectsWithAnOwner) {
  const JoinedConfigs E = joined(sample());
  const LayoutProblem Problem(E, options());
  EXPECT_EQ(namesOf(assumptions(Problem)),
            (Names{"on xeon-8360y", "on graviton2", "with lines of 128 bytes",
                   "with 2 CPUs", "with 16 CPUs", "with 256 CPUs",
                   "if CPUs wait for its locks"}));
}

TEST(Assumptions, EachIsTheProblemSetUpThatWay) {
  const JoinedConfigs E = joined(sample());
  const LayoutProblem Problem(E, options());
  const std::vector<Assumption> All = assumptions(Problem);
  LayoutOptions Other = options(), Wide = options(), Waited = options();
  Other.On = *machineNamed("graviton2");
  Wide.LineBytes = 128;
  Waited.Arrivals[0] = 1;
  AffinityEvidence Few = sample();
  turnToCpus(Few, 2);
  const JoinedConfigs OfFew = joined(Few);
  const LayoutProblem OnOther(E, Other), OnWide(E, Wide), OnWaited(E, Waited),
      OnFew(OfFew, options());
  for (const MoveUnitOrder &Order : Orders) {
    auto Same = [&](const char *Name, const LayoutProblem &As) {
      EXPECT_NEAR(priceIn(All, Name, Order), As.space().price(Order), 1e-9)
          << Name;
      EXPECT_NE(priceIn(All, Name, Orders[0]), Problem.space().price(Orders[0]))
          << Name;
    };
    Same("on graviton2", OnOther);
    Same("with lines of 128 bytes", OnWide);
    Same("if CPUs wait for its locks", OnWaited);
    Same("with 2 CPUs", OnFew);
  }
}

TEST(Assumptions, TheCasesOfUsersAreTheTwoModels) {
  const JoinedConfigs E = joined(sample(CpuRelation::Unknown));
  const LayoutProblem Problem(E, options());
  ASSERT_EQ(Problem.modelCount(), 2u);
  const std::vector<Assumption> All = assumptions(Problem);
  for (const MoveUnitOrder &Order : Orders) {
    const double Handed =
        priceIn(All, "if objects are handed from CPU to CPU", Order);
    EXPECT_NEAR(Handed + priceIn(All, "if all CPUs share each object", Order),
                objective(Problem, Problem.space().layout(Order).Order), 1e-9);
    EXPECT_NEAR(
        Handed,
        Problem.share(0) *
            Problem.model(0).price(Problem.space().layout(Order)).total(),
        1e-9);
  }
}

TEST(Assumptions, OneUserHasMachinesAndLinesOnly) {
  AffinityEvidence E = sample();
  E.Users.Exclusive = true;
  const JoinedConfigs Alone = joined(E);
  EXPECT_EQ(
      namesOf(assumptions(LayoutProblem(Alone, options()))),
      (Names{"on xeon-8360y", "on graviton2", "with lines of 128 bytes"}));
}

TEST(Assumptions, NothingIsAssumedOfWhatWasSaid) {
  AffinityEvidence E = sample();
  E.Users.Cpus.Wanted = 0; // as it was recorded
  const JoinedConfigs Recorded = joined(E);
  LayoutOptions O = options();
  O.Arrivals[0] = 2;
  O.AlsoLineBytes.clear();
  EXPECT_EQ(namesOf(assumptions(LayoutProblem(Recorded, O))),
            (Names{"on xeon-8360y", "on graviton2"}));
}

TEST(Assumptions, AMoveHelpsInSomeOfThem) {
  AffinityEvidence E;
  E.Record = record({field("a", 8), field("b", 8), field("cold", 112, 8),
                     field("c", 8), field("d", 120, 8)},
                    64);
  E.Fields.resize(5);
  E.Sets = {visit(100, {touch(0), touch(1, 1, 1)}, CpuRelation::Local),
            visit(100, {touch(1), touch(3)}, CpuRelation::Local)};
  const JoinedConfigs Of = joined(E);
  const LayoutProblem Problem(Of, options());
  const std::vector<Assumption> All = assumptions(Problem);
  StabilityOptions How;
  How.Assumed = All;
  const MoveUnitOrder CToA = {0, 1, 3, 2, 4};
  const Stability S = stability(Problem, CToA, How);
  ASSERT_EQ(S.Assumed.size(), All.size());
  ASSERT_EQ(S.Moves.size(), 1u);
  double Helped = 0;
  for (size_t I = 0; I < All.size(); ++I) {
    const SearchSpace &Space = All[I].space();
    EXPECT_NEAR(S.Assumed[I].Gain,
                1 - Space.price(CToA) / Space.price(Space.declared()), 1e-9);
    Helped += S.Assumed[I].Gain > 1e-9;
  }
  EXPECT_DOUBLE_EQ(S.Moves[0].Assumed, Helped / double(All.size()));
}

} // namespace
