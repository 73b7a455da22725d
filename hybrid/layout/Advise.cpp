// SPDX-License-Identifier: GPL-2.0-or-later
//
// See Advise.h. The order of the stages is the order of the functions.

#include "hybrid/layout/Advise.h"

#include "hybrid/graph/AffinityGraph.h"
#include "hybrid/layout/Bound.h"
#include "hybrid/layout/Frontier.h"
#include "hybrid/layout/LocalSearch.h"
#include "hybrid/layout/Reasons.h"
#include "hybrid/layout/Seeds.h"

#include <algorithm>

namespace kst {

double expectedLines(const RecordInfo &Record, const CoAccessSet &Set,
                     const Layout &Plan, const CostOptions &Options) {
  CoAccessSet Once = Set;
  Once.Weight = 1;
  Once.Cpu = CpuRelation::Unknown; // count lines, not what they cost
  uint32_t N = static_cast<uint32_t>(Record.Fields.size());
  return LayoutCost(Record, {&Once, 1}, Conflicts(N), Options)
      .price(Plan)
      .Lines;
}

OrderScore scoreOf(const LayoutProblem &Problem, std::string Name,
                   const UnitOrder &Order) {
  OrderScore Result;
  Result.Name = std::move(Name);
  Result.Plan = Problem.space().layout(Order);
  Result.Price = Problem.model().price(Result.Plan);
  for (const Target &At : Problem.space().targets())
    Result.Objective +=
        At.Share *
        At.Model->price(At.Offsets.layout(Result.Plan.Order)).total();
  std::vector<bool> Moved = movedUnits(Order);
  for (uint32_t U = 0; U < Moved.size(); ++U)
    if (Moved[U])
      Result.Moves +=
          static_cast<uint32_t>(Problem.rules().units()[U].Fields.size());
  Result.Notes = Problem.objections(Order);
  return Result;
}

static ScoredLayout scored(const LayoutProblem &Problem, Layout Plan) {
  ScoredLayout Result;
  Result.Price = Problem.model().price(Plan);
  Result.Plan = std::move(Plan);
  Result.LowerBound = lowerBound(Problem.model(), Problem.record().Union);
  Result.Gap = gap(Result.Price.total(), Result.LowerBound);
  return Result;
}

/// The best order that the seeds and the local search lead to.
static UnitOrder bestOrder(const SearchSpace &Space, const AffinityGraph &Graph,
                           uint64_t Budget) {
  UnitOrder Best = Space.declared();
  double BestPrice = Space.price(Best);
  auto Start = seeds(Space, Graph);
  // The seeds share half of the budget, the best of them gets another part.
  for (Seed &S : Start) {
    LocalSearch Walk(Space, std::move(S.Order));
    Walk.improve(Budget / 2 / Start.size());
    Walk.settle(Budget / 20);
    if (Walk.total() < BestPrice) {
      BestPrice = Walk.total();
      Best = Walk.order();
    }
  }
  LocalSearch Walk(Space, Best);
  Walk.improve(Budget / 4);
  Walk.settle(Budget / 4);
  return Walk.order();
}

static size_t touchedFields(const LayoutProblem &Problem) {
  size_t Count = 0;
  for (uint32_t F = 0; F < Problem.record().Fields.size(); ++F) {
    bool Any = false;
    for (size_t C = 0; C < Problem.configCount(); ++C)
      Any |= Problem.model(C).active(F);
    Count += Any;
  }
  return Count;
}

/// What the two orders mean for each configuration and line size.
static std::vector<TargetScore> targetScores(const LayoutProblem &Problem,
                                             const Layout &Proposed) {
  std::vector<TargetScore> Scores;
  std::vector<uint32_t> LineSizes{Problem.options().LineBytes};
  for (uint32_t Bytes : Problem.options().AlsoLineBytes)
    if (Bytes != LineSizes.front())
      LineSizes.push_back(Bytes);
  for (uint32_t Bytes : LineSizes)
    for (size_t C = 0; C < Problem.configCount(); ++C) {
      const AffinityEvidence &Config = Problem.evidence().Configs[C];
      TargetScore Score;
      Score.LineBytes = Bytes;
      Score.Optimised = Bytes == LineSizes.front();
      Score.Record = Config.Record;
      Score.Current = statedLayout(Config.Record);
      Score.Proposed = FieldOffsets(Config.Record).layout(Proposed.Order);
      CostOptions Options = Problem.options();
      Options.LineBytes = Bytes;
      LayoutCost Model(Config.Record, Config.Sets, Problem.model(C).conflicts(),
                       Options);
      Score.Now = Model.price(Score.Current);
      Score.New = Model.price(Score.Proposed);
      Score.Visits = Model.visits();
      Scores.push_back(std::move(Score));
    }
  return Scores;
}

/// The last point that asks for no more moves than are allowed.
static const FrontierOrder &
pointWithin(const std::vector<FrontierOrder> &Points,
            std::optional<uint32_t> MaxMoves) {
  const FrontierOrder *Best = &Points.front();
  for (const FrontierOrder &P : Points)
    if (!MaxMoves || P.Point.Moves <= *MaxMoves)
      Best = &P;
  return *Best;
}

/// Why no order can be proposed at all; empty when one may be looked for.
static std::string hindrance(const LayoutProblem &Problem) {
  for (size_t C = 0; C < Problem.configCount(); ++C)
    if (std::string Mismatch = offsetMismatch(Problem.record(C));
        !Mismatch.empty())
      return "No order is proposed, because offsets could not be predicted: " +
             Mismatch + ".";
  if (Problem.space().activeUnits().empty() || Problem.rules().allFixed())
    return "Keep the order: no touched field may move.";
  return {};
}

/// Fills in the proposal and the verdict Reorder, or says why not.
static void decide(Advice &Result, const LayoutProblem &Problem) {
  const LayoutOptions &Options = Problem.options();
  const SearchSpace &Space = Problem.space();
  UnitOrder Best = bestOrder(Space, Problem.graph(), Options.Budget);
  std::vector<FrontierOrder> Points =
      frontier(Problem.record(), Space, Best, Options.Budget / 5);
  const FrontierOrder &Chosen = pointWithin(Points, Options.MaxMoves);
  OrderScore Score = scoreOf(Problem, "", Chosen.Order);
  double Gain =
      Result.ObjectiveNow > 0 ? 1 - Score.Objective / Result.ObjectiveNow : 0;
  bool Demanded = Space.broken(Result.Current.Plan.Order,
                               Result.Current.Plan.OffsetBits) > 0;
  if (Demanded && !Score.Notes.empty()) {
    for (const std::string &Note : Score.Notes)
      Result.Reasons.push_back("Keep the order: the best one found " + Note +
                               ".");
    Result.DemandsMet = false;
    return;
  }
  if (!Demanded && (Gain <= 0 || Gain < Options.KeepBelow)) {
    Result.Reasons.push_back("Keep the order: the best one found costs " +
                             inPercent(std::max(0.0, Gain)) +
                             " less, below the threshold of " +
                             inPercent(Options.KeepBelow) + ".");
    return;
  }
  if (Demanded)
    Result.Reasons.push_back("The present order does not meet what --pin "
                             "demands; the proposed one does.");
  Result.What = Verdict::Reorder;
  Result.Proposed = scored(Problem, Score.Plan);
  Result.ObjectiveNew = Score.Objective;
  Result.Frontier.clear();
  for (FrontierOrder &P : Points)
    Result.Frontier.push_back(std::move(P.Point));
}

Advice advise(const LayoutProblem &Problem) {
  const AffinityEvidence &First = Problem.evidence().Configs.front();
  Advice Result;
  Result.Constraints = Problem.rules().notes();
  Result.Current = scored(Problem, statedLayout(First.Record));
  Result.Proposed = Result.Current;
  OrderScore Now = scoreOf(Problem, "current", Problem.space().declared());
  Result.ObjectiveNow = Result.ObjectiveNew = Now.Objective;
  Result.ObjectiveBound = Problem.bound();
  Result.Frontier.push_back({0, Now.Objective, {}});

  if (size_t Touched = touchedFields(Problem); Touched < 2) {
    Result.What = Verdict::InsufficientEvidence;
    Result.Reasons.push_back(
        "There are " + std::to_string(First.Sets.size()) +
        " co-access sets and " + std::to_string(Touched) +
        " of the fields are touched: an order needs at least two.");
  } else {
    Result.What = Verdict::Keep;
    if (std::string Why = hindrance(Problem); !Why.empty())
      Result.Reasons.push_back(std::move(Why));
    else
      decide(Result, Problem);
    explain(Result, First, Problem.model(), Problem.options());
  }
  Result.Targets = targetScores(Problem, Result.Proposed.Plan);
  return Result;
}

Advice advise(const AffinityEvidence &Evidence, const LayoutOptions &Options) {
  JoinedConfigs One;
  One.Joint = Evidence.Record;
  One.Configs.push_back(Evidence);
  return advise(LayoutProblem(One, Options));
}

} // namespace kst
