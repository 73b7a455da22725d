// SPDX-License-Identifier: GPL-2.0-or-later
//
// See Advise.h. The order of the stages is the order of the functions.

#include "hybrid/layout/Advise.h"

#include "hybrid/graph/AffinityGraph.h"
#include "hybrid/layout/ConstraintCost.h"
#include "hybrid/layout/Frontier.h"
#include "hybrid/layout/Optimise.h"
#include "hybrid/layout/Reasons.h"
#include "hybrid/layout/Stability.h"

#include <algorithm>

namespace kst {

static constexpr double ProvenWithin = 1e-9;

static ScoredLayout scored(const LayoutProblem &Problem, Layout Plan,
                           double Bound) {
  ScoredLayout Result;
  Result.Price = Problem.model().price(Plan);
  Result.Plan = std::move(Plan);
  Result.LowerBound = Bound;
  Result.Gap = gap(Result.Price.total(), Bound);
  return Result;
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

/// Why the order found is no reason for a patch; empty when it is one.
static std::string objection(const Advice &Result, const LayoutOptions &Options,
                             double Gain) {
  if (Gain <= 0 || Gain < Options.KeepBelow)
    return "Keep the order: the best one found" +
           (Options.MaxMoves ? " with at most " +
                                   std::to_string(*Options.MaxMoves) + " moves"
                             : std::string()) +
           " costs " + inPercent(std::max(0.0, Gain)) +
           " less, below the threshold of " + inPercent(Options.KeepBelow) +
           ".";
  if (Result.Weights.Draws && Result.Weights.Survives < Options.SurviveAtLeast)
    return "Keep the order: the best one found costs " + inPercent(Gain) +
           " less, but when the weights are drawn anew it is the better one in "
           "only " +
           inPercent(Result.Weights.Survives) + " of the draws.";
  return {};
}

/// Fills in the proposal and the verdict Reorder, or says why not. Returns the
/// order that the report speaks of from here on.
static UnitOrder decide(Advice &Result, const LayoutProblem &Problem,
                        std::span<const Baseline> Others,
                        const std::vector<CertifiedBound> &Bounds) {
  const LayoutOptions &Options = Problem.options();
  const SearchSpace &Space = Problem.space();
  UnitOrder Best = bestOrder(Problem, Bounds);
  double BestPrice = Space.price(Best);
  for (const Baseline &Other : Others)
    if (double Price = Space.price(Other.Order); Price < BestPrice) {
      BestPrice = Price;
      Best = Other.Order;
    }
  std::vector<FrontierOrder> Points =
      frontier(Problem.record(), Space, Best, Options.Budget / 2);
  const FrontierOrder &Chosen = pointWithin(Points, Options.MaxMoves);
  OrderScore Score = scoreOf(Problem, "", Chosen.Order);
  bool Demanded = Space.broken(Result.Current.Plan.Order,
                               Result.Current.Plan.OffsetBits) > 0;
  if (Demanded && !Score.Notes.empty()) {
    for (const std::string &Note : Score.Notes)
      Result.Reasons.push_back("Keep the order: the best one found " + Note +
                               ".");
    Result.Unmet = Score.Notes;
    return Space.declared();
  }
  StabilityOptions Draws;
  Draws.Seed = Options.Seed;
  if (Score.Moves)
    Result.Weights = stability(Problem, Chosen.Order, Draws);
  double Gain =
      Result.ObjectiveNow > 0 ? 1 - Score.Objective / Result.ObjectiveNow : 0;
  std::string Objection = objection(Result, Options, Gain);
  if (!Demanded && !Objection.empty()) {
    Result.Reasons.push_back(std::move(Objection));
    return Space.declared();
  }
  if (Demanded)
    Result.Reasons.push_back("The present order does not meet what --pin "
                             "demands; the proposed one does.");
  Result.What = Verdict::Reorder;
  Result.Proposed = scored(Problem, Score.Plan, Bounds.front().Value);
  Result.ObjectiveNew = Score.Objective;
  UnitOrder Order = Chosen.Order;
  Result.Frontier.clear();
  for (FrontierOrder &P : Points)
    Result.Frontier.push_back(std::move(P.Point));
  return Order;
}

/// Says what each rule keeps the order from gaining.
static void priceConstraints(Advice &Result, const LayoutProblem &Problem,
                             const UnitOrder &Best) {
  ConstraintCost Found = constraintCost(Problem, Best);
  Result.BlockedTotal = Found.Together;
  for (const BlockedGain &Gain : Found.Alone)
    for (uint32_t Note : Gain.Notes)
      Result.Constraints[Note].Blocks = Gain.Saves;
}

Advice advise(const LayoutProblem &Problem, std::span<const Baseline> Others) {
  const AffinityEvidence &First = Problem.evidence().Configs.front();
  Advice Result;
  Result.Constraints = Problem.rules().notes();
  std::vector<CertifiedBound> Bounds = certifiedBounds(Problem);
  Result.Current =
      scored(Problem, statedLayout(First.Record), Bounds.front().Value);
  Result.Proposed = Result.Current;
  OrderScore Now = scoreOf(Problem, "current", Problem.space().declared());
  Result.ObjectiveNow = Result.ObjectiveNew = Now.Objective;
  Result.ObjectiveBound = objectiveBound(Problem, Bounds);
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
      priceConstraints(Result, Problem,
                       decide(Result, Problem, Others, Bounds));
    explain(Result, First, Problem.model(), Problem.options());
  }
  for (const Baseline &Other : Others)
    Result.Compared.push_back(scoreOf(Problem, Other.Name, Other.Order));
  // Bound and price are sums in different orders: equal up to rounding.
  Result.Proven =
      Result.ObjectiveNew <= Result.ObjectiveBound * (1 + ProvenWithin);
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
