// SPDX-License-Identifier: GPL-2.0-or-later
//
// Everything that an order is searched in and judged by, set up once from the
// evidence and the options: models of cost, rules, the space of orders, the
// affinity graph.

#pragma once

#include "hybrid/affinity/AffinityGraph.h"
#include "hybrid/affinity/Conflicts.h"
#include "hybrid/layout/JoinedConfigs.h"
#include "hybrid/layout/SearchSpace.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kst {

struct LayoutOptions : CostOptions, ConstraintOptions, SharingOptions {
  /// A gain below this share of the present cost is not worth a patch.
  double KeepBelow = 0.05;
  /// Nor is one that is none in more than 1 - SurviveAtLeast of the draws of
  /// the weights.
  double SurviveAtLeast = 0.9;
  /// Elementary steps (OrderPrice::work()) of the search for the best order,
  /// and as many for the bound; what few moves bring, which varies more, has
  /// twice as many. The same result on every machine, in about half a second.
  uint64_t Budget = 50'000'000;
  uint64_t Seed = 1; ///< of clustering, perturbation and resampling
  std::optional<uint32_t> MaxMoves;
  std::vector<Placement> Demands; ///< --pin
  std::vector<std::string> Lift;  ///< ids of rules, --lift-rule
  /// Whether a proposal may take more bytes than the record has now. In large
  /// arrays, in caches of objects and in records that embed this one they cost
  /// everybody, which the cost formula, about single visits, does not see.
  bool MayGrow = false;
  /// Propose the best order found; else the smallest one that is nearly as
  /// good (see ModestOrder.h).
  bool Ambitious = false;
  /// Line sizes for which the two orders are scored too.
  std::vector<uint32_t> AlsoLineBytes;
};

/// Immutable; safe to share between threads. Keeps a reference to the evidence.
class LayoutProblem {
public:
  LayoutProblem(const JoinedConfigs &Evidence, const LayoutOptions &Options);
  LayoutProblem(const LayoutProblem &) = delete;

  /// Rules and LiftedRules are those of the evidence too, with different ids.
  const LayoutOptions &options() const { return Opts; }
  const JoinedConfigs &evidence() const { return Evidence; }
  /// Fields of any configuration, as in JoinedConfigs::Joint.
  const RecordInfo &record() const { return Evidence.Joint; }
  size_t configCount() const { return Evidence.Configs.size(); }
  const RecordInfo &record(size_t Config) const {
    return Evidence.Configs[Config].Record;
  }
  /// One of each configuration, in their order. Behind them, for each of which
  /// usersUnknown(), one of objects that all CPUs share: both cases count half.
  size_t modelCount() const { return Models.size(); }
  const LayoutCost &model(size_t Number = 0) const { return *Models[Number]; }
  /// The configuration that the model is of.
  size_t configOf(size_t Model) const { return ConfigOf[Model]; }
  /// Of objects that all CPUs share, not of such that are handed over.
  bool isShared(size_t Model) const {
    return Model >= configCount() ||
           Evidence.Configs[Model].Users.Turns == UserTurns::Shared;
  }
  /// Who comes, in the case of the model, to objects that these sets visit.
  SharingOptions sharing(size_t Model,
                         std::span<const CoAccessSet> Sets) const {
    return sharing(Model, Evidence.Configs[ConfigOf[Model]].Users, Sets);
  }
  SharingOptions sharing(size_t Model, const Ownership &Users,
                         std::span<const CoAccessSet> Sets) const;
  /// What a model says of other visits or lines, or of visits by others.
  LayoutCost priced(size_t Model, std::span<const CoAccessSet> Sets,
                    const CostOptions &Options) const {
    return priced(Model, Sets, Options, sharing(Model, Sets));
  }
  LayoutCost priced(size_t Model, std::span<const CoAccessSet> Sets,
                    const CostOptions &Options,
                    const SharingOptions &Who) const;
  /// Factor of the model's cost in the objective: each counts by its
  /// cost per visit, in the unit of the first; one alone counts once.
  double share(size_t Model) const { return Space->configs()[Model].Share; }
  /// The same of all models of a configuration together.
  double shareOfConfig(size_t Config) const {
    double Sum = 0;
    for (size_t M = 0; M < ConfigOf.size(); ++M)
      Sum += ConfigOf[M] == Config ? share(M) : 0;
    return Sum;
  }
  const Constraints &rules() const { return *Rules; }
  const SearchSpace &space() const { return *Space; }
  /// Of the first configuration, the mean of its cases.
  const Conflicts &conflicts() const { return *Clashes; }
  const AffinityGraph &graph() const { return *Graph; }
  /// Rules for an order that ignores some, by index into rules().notes().
  Constraints rulesWithout(std::vector<uint32_t> Lifted) const;
  /// Rules that a permutation of the move units breaks, in words.
  std::vector<std::string> brokenRules(const MoveUnitOrder &Order) const;
  /// What speaks against a permutation of the move units, in words: rules it
  /// breaks and demands it does not meet. Empty when it may be proposed.
  std::vector<std::string> objections(const MoveUnitOrder &Order) const;

private:
  void makeGraph();
  void addKeptApart(std::vector<Placement> &Demands) const;

  const JoinedConfigs &Evidence;
  LayoutOptions Opts;
  std::vector<std::unique_ptr<LayoutCost>> Models;
  std::vector<size_t> ConfigOf; ///< of each model
  std::unique_ptr<Constraints> Rules;
  std::unique_ptr<SearchSpace> Space;
  std::unique_ptr<Conflicts> Clashes;
  std::unique_ptr<AffinityGraph> Graph;
};

} // namespace kst
