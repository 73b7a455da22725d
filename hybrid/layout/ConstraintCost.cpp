// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/ConstraintCost.h"

#include "hybrid/layout/LocalSearch.h"
#include "hybrid/layout/Seeds.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kst {

MoveUnitOrder obeying(const Constraints &Rules, const MoveUnitOrder &Guide) {
  std::vector<uint32_t> Position(Guide.size());
  for (uint32_t At = 0; At < Guide.size(); ++At)
    Position[Guide[At]] = At;
  const auto &MoveUnits = Rules.bricks();
  MoveUnitOrder Order;
  for (uint32_t Begin = 0; Begin < MoveUnits.size();) {
    const uint32_t End = Rules.segmentEnd(Begin);
    MoveUnitOrder Segment;
    for (uint32_t U = Begin; U < End; ++U)
      Segment.push_back(U);
    std::ranges::sort(Segment, [&](uint32_t A, uint32_t B) {
      return Position[A] < Position[B];
    });
    // The places of the anchors, filled with them in their order.
    uint32_t Next = Begin;
    for (uint32_t &U : Segment) {
      if (!MoveUnits[U].Anchor)
        continue;
      while (!MoveUnits[Next].Anchor)
        ++Next;
      U = Next++;
    }
    Order.insert(Order.end(), Segment.begin(), Segment.end());
    Begin = End;
  }
  return Order;
}

namespace {

/// The problem under fewer rules.
class Lifted {
public:
  Lifted(const LayoutProblem &Problem, std::vector<uint32_t> Notes)
      : Rules(Problem.rulesWithout(std::move(Notes))),
        Space(Problem.record(), Rules, Problem.space().configs(),
              Problem.space().placements()) {}
  Lifted(const Lifted &) = delete;

  const Constraints Rules;
  const SearchSpace Space;
};

struct Found {
  MoveUnitOrder Order;
  double Price = 0; ///< with the penalty of demands
};

/// A local optimum from the cheapest of `Starts`, all legal in the space, and
/// from the first of them.
Found search(const SearchSpace &Space, const std::vector<MoveUnitOrder> &Starts,
             uint64_t Budget) {
  size_t Cheapest = 0;
  double Least = Space.price(Starts.front());
  for (size_t I = 1; I < Starts.size(); ++I)
    if (double Price = Space.price(Starts[I]); Price < Least) {
      Cheapest = I;
      Least = Price;
    }
  Found Best;
  auto Walk = [&](const MoveUnitOrder &Start, uint64_t Steps) {
    LocalSearch Here(Space, Start);
    Here.improve(Steps);
    if (Best.Order.empty() || Here.total() < Best.Price)
      Best = {Here.order(), Here.total()};
  };
  Walk(Starts.front(), Cheapest ? Budget / 2 : Budget);
  if (Cheapest)
    Walk(Starts[Cheapest], Budget / 2);
  return Best;
}

/// What the second saves, not counting demands; nothing if it meets fewer.
double saved(const SearchSpace &Space, const MoveUnitOrder &Before,
             const MoveUnitOrder &After) {
  size_t Was = Space.broken(Before), Is = Space.broken(After);
  if (Is > Was)
    return 0;
  double Penalty = Space.placementPenalty() * static_cast<double>(Was - Is);
  return std::max(0.0, Space.price(Before) - Penalty - Space.price(After));
}

/// Liftable notes, those that are one to the reader together.
std::vector<std::vector<uint32_t>>
groups(const std::vector<ConstraintNote> &Notes, bool ByWords) {
  std::map<std::tuple<std::string, std::string, uint32_t>, size_t> Alike;
  std::vector<std::vector<uint32_t>> Groups;
  for (uint32_t I = 0; I < Notes.size(); ++I) {
    const ConstraintNote &N = Notes[I];
    if (!N.Liftable)
      continue;
    bool Placed = !N.Where.File.empty();
    if (!Placed && !ByWords) {
      Groups.push_back({I});
      continue;
    }
    auto [At, New] = Alike.try_emplace(
        {N.Why, ByWords ? "" : N.Where.File, ByWords ? 0 : N.Where.Line},
        Groups.size());
    if (New)
      Groups.emplace_back();
    Groups[At->second].push_back(I);
  }
  return Groups;
}

} // namespace

ConstraintCost constraintCost(const LayoutProblem &Problem,
                              const MoveUnitOrder &Best,
                              const ConstraintCostOptions &Options) {
  ConstraintCost Result;
  const auto &Notes = Problem.rules().notes();
  auto Groups = groups(Notes, false);
  if (Groups.empty())
    return Result;
  if (Groups.size() > Options.MostAlone)
    Groups = groups(Notes, true);
  std::vector<uint32_t> All;
  for (const auto &Group : Groups)
    All.insert(All.end(), Group.begin(), Group.end());

  // What the search finds anyway.
  const Found Base = search(Problem.space(), {Best}, Options.Budget / 8);
  const double Now =
      Base.Price - Problem.space().placementPenalty() *
                       static_cast<double>(Problem.space().broken(Base.Order));

  Lifted Free(Problem, All);
  std::vector<MoveUnitOrder> Starts = {Base.Order};
  for (Seed &S : seeds(Free.Space, Problem.graph()))
    Starts.push_back(std::move(S.Order));
  const Found Freest = search(Free.Space, Starts, Options.Budget / 4);
  double Together = saved(Free.Space, Base.Order, Freest.Order);

  if (Together >= Options.WorthTogether * Now) {
    const uint64_t Each = Options.Budget / 2 / Groups.size();
    for (auto &Group : Groups) {
      Lifted One(Problem, Group);
      Found Here = search(One.Space,
                          {Base.Order, obeying(One.Rules, Freest.Order)}, Each);
      double Saves = saved(One.Space, Base.Order, Here.Order);
      Together = std::max(Together, Saves);
      if (Saves >= Options.WorthAlone * Now && Saves > 0)
        Result.Alone.push_back({std::move(Group), Saves});
    }
    Result.Together = Together;
  }
  std::ranges::stable_sort(Result.Alone,
                           [](const BlockedGain &A, const BlockedGain &B) {
                             return A.Saves > B.Saves;
                           });
  return Result;
}

} // namespace kst
