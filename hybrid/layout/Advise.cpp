// SPDX-License-Identifier: GPL-2.0-or-later
//
// See Advise.h. The order of the stages is the order of the functions.

#include "hybrid/layout/Advise.h"

#include "hybrid/affinity/AffinityGraph.h"
#include "hybrid/layout/ConstraintCost.h"
#include "hybrid/layout/Frontier.h"
#include "hybrid/layout/ModestOrder.h"
#include "hybrid/layout/Optimise.h"
#include "hybrid/layout/Reasons.h"
#include "hybrid/layout/Remedies.h"
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

/// Points that ask for more moves than are allowed.
static void dropBeyond(std::vector<FrontierOrder> &Points,
                       std::optional<uint32_t> MaxMoves) {
  while (MaxMoves && Points.back().Point.Moves > *MaxMoves)
    Points.pop_back();
}

/// "a: why (file:line)".
static std::string held(const ConstraintNote &Note) {
  std::string Text = (Note.Field.empty() ? "" : Note.Field + ": ") + Note.Why;
  if (!Note.Where.File.empty())
    Text +=
        " (" + Note.Where.File + ":" + std::to_string(Note.Where.Line) + ")";
  return Text;
}

/// What holds everything, in words: rules about the whole record, or else the
/// first about fields.
static std::string whyFixed(const Constraints &Rules) {
  constexpr size_t Told = 3;
  std::vector<const ConstraintNote *> Notes;
  for (const ConstraintNote &Note : Rules.notes())
    if (!Note.Lifted && (!Rules.allFixed() || Note.Field.empty()))
      Notes.push_back(&Note);
  std::string Text;
  for (size_t I = 0; I < std::min(Told, Notes.size()); ++I)
    Text += (I ? "; " : ": ") + held(*Notes[I]);
  if (Notes.size() > Told)
    Text += "; and " + std::to_string(Notes.size() - Told) + " more";
  return Text;
}

/// Why no order can be proposed at all; empty when one may be looked for.
static std::string hindrance(const LayoutProblem &Problem, bool &Fixed) {
  for (size_t C = 0; C < Problem.configCount(); ++C)
    if (std::string Mismatch = offsetMismatch(Problem.record(C));
        !Mismatch.empty())
      return "No order is proposed, because offsets could not be predicted: " +
             Mismatch + ".";
  Fixed = Problem.space().activeUnits().empty() || Problem.rules().allFixed();
  if (!Fixed)
    return {};
  return std::string("Keep the order: ") +
         (Problem.rules().allFixed() ? "nothing" : "no touched field") +
         " may move" + whyFixed(Problem.rules()) + ".";
}

/// Why the order found is no reason for a patch; empty when it is one. `Best`
/// and `New`: what the best order found costs, and the one to be proposed.
static std::string objection(const Advice &Result, const LayoutOptions &Options,
                             double Best, double New) {
  auto GainOf = [&](double Cost) {
    return Result.ObjectiveNow > 0 ? 1 - Cost / Result.ObjectiveNow : 0;
  };
  auto Worth = [&](double Gain) {
    return Gain > 0 && Gain >= Options.KeepBelow;
  };
  const std::string Saves =
      " costs " + inPercent(std::max(0.0, GainOf(Best))) + " less, ";
  const std::string Threshold =
      "below the threshold of " + inPercent(Options.KeepBelow) + ".";
  if (!Worth(GainOf(Best)))
    return "Keep the order: the best one found" +
           (Options.MaxMoves ? " with at most " +
                                   std::to_string(*Options.MaxMoves) + " moves"
                             : std::string()) +
           Saves + Threshold;
  if (!Worth(GainOf(New)))
    return "Keep the order: the best one found" + Saves +
           "but without the moves that help in fewer than half of the draws of "
           "the weights " +
           inPercent(std::max(0.0, GainOf(New))) + ", " + Threshold;
  if (Result.Weights.Draws && Result.Weights.Survives < Options.SurviveAtLeast)
    return "Keep the order: the one found costs " + inPercent(GainOf(New)) +
           " less, but when the weights are drawn anew it is the better one in "
           "only " +
           inPercent(Result.Weights.Survives) + " of the draws.";
  return {};
}

/// The best order known, of ours and of others'.
static MoveUnitOrder bestKnown(const LayoutProblem &Problem,
                               std::span<const Baseline> Others,
                               const std::vector<CertifiedBound> &Bounds) {
  MoveUnitOrder Best = bestOrder(Problem, Bounds);
  double BestPrice = Problem.space().price(Best);
  for (const Baseline &Other : Others)
    if (double Price = Problem.space().price(Other.Order); Price < BestPrice) {
      BestPrice = Price;
      Best = Other.Order;
    }
  return Best;
}

/// Makes the order a point: those with as many moves, those that cost no more
/// with fewer and those that gain nothing over it with more give way.
static void insertPoint(std::vector<FrontierPoint> &Points,
                        FrontierPoint Mine) {
  std::erase_if(Points, [&](const FrontierPoint &P) {
    if (P.Moves < Mine.Moves)
      return P.Moves && P.TotalCost <= Mine.TotalCost;
    return P.Moves == Mine.Moves || P.TotalCost >= Mine.TotalCost;
  });
  Points.insert(
      std::ranges::find_if(
          Points, [&](const FrontierPoint &P) { return P.Moves > Mine.Moves; }),
      std::move(Mine));
}

/// Fills in the proposal and the verdict Reorder, or says why not. Returns the
/// best order known, or the declared one.
static MoveUnitOrder decide(Advice &Result, const LayoutProblem &Problem,
                            std::span<const Baseline> Others,
                            const std::vector<CertifiedBound> &Bounds) {
  const LayoutOptions &Options = Problem.options();
  const SearchSpace &Space = Problem.space();
  std::vector<FrontierOrder> Points =
      frontier(Problem.record(), Space, bestKnown(Problem, Others, Bounds),
               2 * Options.Budget);
  std::vector<FrontierOrder> Allowed = Points;
  dropBeyond(Allowed, Options.MaxMoves);
  const std::vector<Assumption> Assumed = assumptions(Problem);
  StabilityOptions Draws;
  Draws.Seed = Options.Seed;
  Draws.Assumed = Assumed;
  StableOrder Chosen;
  if (Options.Ambitious) {
    Chosen.Order = Allowed.back().Order;
    Chosen.Weights = stability(Problem, Chosen.Order, Draws);
  } else {
    Chosen = modestOrder(Problem, Allowed, Draws);
  }
  OrderScore Score = scoreOf(Problem, "", Chosen.Order);
  bool Demanded = Space.broken(Space.declared()) > 0;
  if (Demanded && !Score.Notes.empty()) {
    for (const std::string &Note : Score.Notes)
      Result.Reasons.push_back("Keep the order: the best one found " + Note +
                               ".");
    Result.Unmet = Score.Notes;
    return Space.declared();
  }
  if (Score.Moves)
    Result.Weights = std::move(Chosen.Weights);
  OrderScore Best = scoreOf(Problem, "--ambitious", Allowed.back().Order);
  std::string Objection =
      objection(Result, Options, Best.Objective, Score.Objective);
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
  if (Best.Objective < Score.Objective * (1 - ProvenWithin))
    Result.Best = std::move(Best);
  Result.Frontier.clear();
  for (FrontierOrder &P : Points)
    Result.Frontier.push_back(std::move(P.Point));
  if (!Options.Ambitious)
    insertPoint(
        Result.Frontier,
        pointOf(Problem.record(), Space, Chosen.Order, Score.Objective).Point);
  return Allowed.back().Order;
}

/// Says what each rule keeps the order from gaining.
static void priceConstraints(Advice &Result, const LayoutProblem &Problem,
                             const MoveUnitOrder &Best) {
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

  const size_t Touched = touchedFields(Problem);
  if (Touched < 2) {
    Result.What = Verdict::InsufficientEvidence;
    Result.Reasons.push_back("There are " + std::to_string(First.Sets.size()) +
                             " co-access sets, and they touch " +
                             (Touched ? "one field only" : "no field") +
                             ": an order needs at least two.");
  } else {
    Result.What = Verdict::Keep;
    if (std::string Why = hindrance(Problem, Result.Fixed); !Why.empty())
      Result.Reasons.push_back(std::move(Why));
    else
      priceConstraints(Result, Problem,
                       decide(Result, Problem, Others, Bounds));
  }
  Result.Configs = configScores(Problem, Result.Proposed.Plan);
  if (Touched >= 2) {
    Result.Remedies = remedies(Problem, Result.Proposed.Plan.Order);
    explain(Result, Problem);
  }
  for (const Baseline &Other : Others)
    Result.Compared.push_back(scoreOf(Problem, Other.Name, Other.Order));
  // Bound and price are sums in different orders: equal up to rounding.
  Result.Proven =
      !Result.Fixed &&
      Result.ObjectiveNew <= Result.ObjectiveBound * (1 + ProvenWithin);
  return Result;
}

Advice advise(const AffinityEvidence &Evidence, const LayoutOptions &Options) {
  JoinedConfigs One;
  One.Joint = Evidence.Record;
  One.Configs.push_back(Evidence);
  return advise(LayoutProblem(One, Options));
}

} // namespace kst
