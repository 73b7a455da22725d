// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/kst-dev/Solve.h"

#include "analyzer/codelayout/CodeLayoutBaseline.h"
#include "hybrid/layout/Advise.h"
#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/layout/Frontier.h"
#include "hybrid/layout/Moves.h"
#include "hybrid/layout/Optimise.h"

#include <nlohmann/json.hpp>

#include <ctime>

namespace kst {

using nlohmann::ordered_json;

namespace {

/// A gap up to this is the rounding of sums of doubles.
constexpr double Rounding = 1e-9;

/// CPU time of this process so far, in seconds.
double cpuSeconds() {
  timespec Now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &Now);
  return static_cast<double>(Now.tv_sec) +
         1e-9 * static_cast<double>(Now.tv_nsec);
}

/// The instance's constants, and none of the defaults for users.
LayoutOptions layoutOptions(const Instance &P, const SolveOptions &Options) {
  LayoutOptions How;
  How.LineBytes = P.LineBytes;
  How.InstanceAlignBytes = P.InstanceAlignBytes;
  How.ImmovableFieldAlignBytes = P.AnchorAlignBytes;
  How.On = lineMachine(P.LambdaShare);
  How.LambdaPad = P.LambdaPad;
  How.UnknownRemoteShare = P.UnknownRemoteShare;
  How.ChosenRemoteShare = P.ChosenRemoteShare;
  How.OtherCpus = P.OtherCpus;
  How.AccessesPerStay = 0;
  How.Stays = P.Stays;
  How.KeepBelow = 0; // for the frontier: advice whatever the gain
  How.SurviveAtLeast = 0;
  How.MayGrow = true; // the formula and the rules, nothing else
  How.Ambitious = true;
  How.Seed = Options.Seed;
  if (Options.Steps)
    How.Budget = *Options.Steps;
  How.Rules = P.Rules;
  return How;
}

ordered_json costJson(const Cost &Price) {
  return {{"total", Price.total()},
          {"lines", Price.Lines},
          {"sharing", Price.Sharing},
          {"padding", Price.Padding}};
}

ordered_json layoutJson(const Layout &Plan, const Cost &Price) {
  return {{"order", Plan.Order},
          {"size_bytes", Plan.SizeBytes},
          {"cost", costJson(Price)}};
}

ordered_json baselinesJson(const LayoutProblem &Problem) {
  const SearchSpace &Space = Problem.space();
  std::vector<Baseline> All = baselines(Space, Problem.graph());
  All.push_back(codeLayoutBaseline(Space, Problem.graph()));
  ordered_json Out = ordered_json::array();
  for (const Baseline &B : All) {
    Layout Plan = Space.layout(B.Order);
    ordered_json One{{"name", B.Name}};
    One.update(layoutJson(Plan, Problem.model().price(Plan)));
    Out.push_back(std::move(One));
  }
  return Out;
}

ordered_json pointsJson(const LayoutProblem &Problem,
                        const std::vector<MoveUnitOrder> &Orders) {
  const SearchSpace &Space = Problem.space();
  ordered_json Out = ordered_json::array();
  for (const MoveUnitOrder &Order : Orders)
    Out.push_back(
        {{"moves", moveCount(Space, Order)}, {"cost", Space.price(Order)}});
  return Out;
}

void addFrontier(ordered_json &Out, const LayoutProblem &Problem,
                 const Advice &Found) {
  MoveUnitOrder Proposed;
  for (uint32_t F : Found.Proposed.Plan.Order)
    if (Proposed.empty() || Proposed.back() != Problem.rules().moveUnitOf(F))
      Proposed.push_back(Problem.rules().moveUnitOf(F));
  Out["frontier"] = ordered_json::array();
  for (const FrontierPoint &P : Found.Frontier)
    Out["frontier"].push_back({{"moves", P.Moves}, {"cost", P.TotalCost}});
  Out["first_moves"] =
      pointsJson(Problem, firstMoves(Problem.space(), Proposed));
  Out["greedy_moves"] =
      pointsJson(Problem, greedyMoves(Problem.space(), Proposed));
}

} // namespace

Result<std::string> solve(const Instance &P, const SolveOptions &Options) {
  if (std::string Mismatch = offsetMismatch(P.Record); !Mismatch.empty())
    return Failure{Mismatch};
  JoinedConfigs Evidence;
  Evidence.Joint = P.Record;
  Evidence.Configs.resize(1);
  Evidence.Configs[0].Record = P.Record;
  Evidence.Configs[0].Fields.resize(P.Record.Fields.size());
  Evidence.Configs[0].Sets = P.Sets;

  double Before = cpuSeconds();
  LayoutProblem Problem(Evidence, layoutOptions(P, Options));
  std::vector<CertifiedBound> Bounds = certifiedBounds(Problem);
  const double Bound = objectiveBound(Problem, Bounds);
  std::optional<Advice> Found;
  if (Options.Frontier)
    Found = advise(Problem);
  Layout Best = Found ? Found->Proposed.Plan
                      : Problem.space().layout(bestOrder(Problem, Bounds));
  double Seconds = cpuSeconds() - Before;

  const Cost Price = Problem.model().price(Best);
  const double Gap = gap(Price.total(), Bound);
  ordered_json Out{{"schema", "kst-layout/1"}, {"name", P.Name}};
  Out.update(layoutJson(Best, Price));
  Out["lower_bound"] = Bound;
  Out["gap"] = Gap;
  Out["proven"] = Gap <= Rounding;
  if (Options.Times)
    Out["cpu_seconds"] = Seconds;
  Layout Declared = statedLayout(P.Record);
  Out["current"] = layoutJson(Declared, Problem.model().price(Declared));
  if (Options.Baselines)
    Out["baselines"] = baselinesJson(Problem);
  if (Found)
    addFrontier(Out, Problem, *Found);
  return Out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

} // namespace kst
