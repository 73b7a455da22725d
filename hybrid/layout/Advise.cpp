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

static ScoredLayout scored(Layout Plan, const LayoutCost &Model, double Bound) {
  ScoredLayout Result;
  Result.Price = Model.price(Plan);
  Result.Plan = std::move(Plan);
  Result.LowerBound = Bound;
  Result.Gap = gap(Result.Price.total(), Bound);
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

static size_t touchedFields(const LayoutCost &Model) {
  size_t Count = 0;
  for (uint32_t F = 0; F < Model.fieldCount(); ++F)
    Count += Model.active(F);
  return Count;
}

Advice advise(const AffinityEvidence &Evidence, const LayoutOptions &Options) {
  const RecordInfo &Record = Evidence.Record;
  const uint32_t N = static_cast<uint32_t>(Record.Fields.size());
  Conflicts Clashes(N, Evidence.Sets, Options);
  LayoutCost Model(Record, Evidence.Sets, Clashes, Options);
  Constraints Rules(Record, Options);
  double Bound = lowerBound(Model, Record.Union);

  Advice Result;
  Result.Constraints = Rules.notes();
  Result.Current = scored(statedLayout(Record), Model, Bound);
  Result.Proposed = Result.Current;
  double Now = Result.Current.Price.total();
  Result.Frontier.push_back({0, Now, {}});

  if (size_t Touched = touchedFields(Model); Touched < 2) {
    Result.What = Verdict::InsufficientEvidence;
    Result.Reasons.push_back(
        "There are " + std::to_string(Evidence.Sets.size()) +
        " co-access sets and " + std::to_string(Touched) +
        " of the fields are touched: an order needs at least two.");
    return Result;
  }
  Result.What = Verdict::Keep;
  if (std::string Mismatch = offsetMismatch(Record); !Mismatch.empty()) {
    Result.Reasons.push_back("No order is proposed, because offsets could not "
                             "be predicted: " +
                             Mismatch + ".");
    explain(Result, Evidence, Model, Options);
    return Result;
  }

  SearchSpace Space(Record, Rules, Model);
  GraphOptions GraphOpts;
  GraphOpts.Seed = Options.Seed;
  AffinityGraph Graph(Record, Evidence.Sets, Clashes, GraphOpts);
  UnitOrder Best = bestOrder(Space, Graph, Options.Budget);
  std::vector<FrontierOrder> Points =
      frontier(Record, Space, Best, Options.Budget / 5);
  ScoredLayout Found = scored(Space.layout(Points.back().Order), Model, Bound);
  double Gain = Now > 0 ? (Now - Found.Price.total()) / Now : 0;

  if (Gain <= 0 || Gain < Options.KeepBelow) {
    Result.Reasons.push_back(
        Space.activeUnits().empty() || Rules.allFixed()
            ? std::string("Keep the order: no touched field may move.")
            : "Keep the order: the best one found costs " +
                  inPercent(std::max(0.0, Gain)) +
                  " less, below the threshold of " +
                  inPercent(Options.KeepBelow) + ".");
    explain(Result, Evidence, Model, Options);
    return Result;
  }
  Result.What = Verdict::Reorder;
  Result.Proposed = std::move(Found);
  Result.Frontier.clear();
  for (FrontierOrder &P : Points)
    Result.Frontier.push_back(std::move(P.Point));
  explain(Result, Evidence, Model, Options);
  return Result;
}

} // namespace kst
