// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/LayoutProblem.h"

#include "hybrid/affinity/Ownership.h"
#include "hybrid/layout/KeptApart.h"
#include "hybrid/layout/RuleIds.h"

#include <algorithm>
#include <map>

namespace kst {

/// The rules of all configurations, each once.
static std::vector<SourceRule> rulesOf(const JoinedConfigs &Evidence) {
  std::vector<SourceRule> All;
  for (const AffinityEvidence &Config : Evidence.Configs)
    for (const SourceRule &Rule : Config.Rules)
      if (std::ranges::none_of(All, [&](const SourceRule &Had) {
            return Had.Kind == Rule.Kind && Had.Fields == Rule.Fields &&
                   Had.Why == Rule.Why;
          }))
        All.push_back(Rule);
  return All;
}

LayoutProblem::LayoutProblem(const JoinedConfigs &Evidence,
                             const LayoutOptions &Options)
    : Evidence(Evidence), Opts(Options) {
  std::vector<SourceRule> Found = rulesOf(Evidence);
  Opts.Rules.insert(Opts.Rules.end(), Found.begin(), Found.end());
  nameApart(Opts.Rules);
  Opts.LiftedRules = takeLifted(Opts.Rules, Opts.Lift);
  std::vector<Placement> Demands;
  for (const Placement &Demand : Opts.Demands) {
    if (Demand.Kind == PlacementKind::Stay)
      Opts.Pins.push_back({Demand.Field, "--pin " + Demand.Text});
    else
      Demands.push_back(Demand);
  }

  for (size_t C = 0; C < configCount(); ++C)
    ConfigOf.push_back(C);
  for (size_t C = 0; C < configCount(); ++C)
    if (usersUnknown(Evidence.Configs[C]))
      ConfigOf.push_back(C);
  std::vector<SearchConfig> Configs;
  for (size_t M = 0; M < ConfigOf.size(); ++M) {
    const AffinityEvidence &Known = Evidence.Configs[ConfigOf[M]];
    Models.push_back(std::make_unique<LayoutCost>(priced(M, Known.Sets, Opts)));
    SearchConfig In{FieldOffsets(Known.Record), Models.back().get(), 1};
    if (!Opts.MayGrow)
      In.MostBytes = Known.Record.SizeBytes;
    Configs.push_back(std::move(In));
  }
  const double Norm = Models.front()->visits();
  std::map<uint32_t, double> Visits; ///< of each program
  for (size_t C = 0; C < configCount(); ++C)
    Visits[Evidence.program(C)] += Models[C]->visits();
  for (size_t M = 0; M < Configs.size(); ++M) {
    const double Own = Visits[Evidence.program(ConfigOf[M])];
    Configs[M].Share =
        (Norm > 0 && Own > 0 ? Norm / Own : 1) /
        static_cast<double>(Visits.size()) /
        static_cast<double>(std::ranges::count(ConfigOf, ConfigOf[M]));
  }
  makeGraph();
  addKeptApart(Demands);
  Rules = std::make_unique<Constraints>(record(), Opts);
  Space = std::make_unique<SearchSpace>(record(), *Rules, std::move(Configs),
                                        std::move(Demands));
}

void LayoutProblem::addKeptApart(std::vector<Placement> &Demands) const {
  const AffinityEvidence &First = Evidence.Configs.front();
  const bool Shared =
      First.Users.Turns == UserTurns::Shared && !First.Covered.Dynamic;
  if (!Opts.Arrivals.empty() || !(Shared || usersUnknown(First)))
    return;
  // What somebody demands of a field goes before what nobody asked for.
  std::vector<uint32_t> Asked;
  for (const Placement &Demand : Demands) {
    Asked.push_back(Demand.Field);
    if (Demand.Kind == PlacementKind::With ||
        Demand.Kind == PlacementKind::Apart)
      Asked.push_back(Demand.Other);
  }
  auto IsAsked = [&](uint32_t Field) {
    return std::ranges::find(Asked, Field) != Asked.end();
  };
  auto LeastConflict = [&] {
    double Now = 0, Cases = 0;
    for (size_t M = 0; M < ConfigOf.size(); ++M)
      if (!ConfigOf[M]) {
        Now += Models[M]->price(statedLayout(First.Record)).total();
        ++Cases;
      }
    return NotableShare * Now / Cases / Models.front()->lostCycles();
  };
  // Rates of a reference were measured, if elsewhere.
  std::vector<Placement> Kept =
      First.Covered.Reference.empty()
          ? keptApart(First, Opts.LineBytes, *Clashes, LeastConflict())
          : keptApart(First, Opts.LineBytes);
  for (Placement &Apart : Kept)
    if (!IsAsked(Apart.Field) && !IsAsked(Apart.Other))
      Demands.push_back(std::move(Apart));
}

SharingOptions LayoutProblem::sharing(size_t Model, const Ownership &Users,
                                      std::span<const CoAccessSet> Sets) const {
  return isShared(Model) ? sharedByAll(Opts, Users)
                         : sharingOptions(Opts, Users, Sets);
}

LayoutCost LayoutProblem::priced(size_t Model,
                                 std::span<const CoAccessSet> Sets,
                                 const CostOptions &Options,
                                 const SharingOptions &Who) const {
  const AffinityEvidence &Config = Evidence.Configs[ConfigOf[Model]];
  if (isShared(Model))
    return LayoutCost(Config.Record, ofSharedObjects(Sets, Config.Fields),
                      Options, Who);
  return LayoutCost(Config.Record, Sets, Options, Who);
}

void LayoutProblem::makeGraph() {
  const AffinityEvidence &First = Evidence.Configs.front();
  const uint32_t N = static_cast<uint32_t>(record().Fields.size());
  std::vector<Conflicts> Cases;
  for (size_t M = 0; M < ConfigOf.size(); ++M)
    if (!ConfigOf[M])
      Cases.emplace_back(N,
                         isShared(M) ? ofSharedObjects(First.Sets, First.Fields)
                                     : First.Sets,
                         sharing(M, First.Sets));
  GraphOptions How;
  How.Seed = Opts.Seed;
  Clashes = std::make_unique<Conflicts>(mean(Cases));
  Graph =
      std::make_unique<AffinityGraph>(First.Record, First.Sets, *Clashes, How);
}

Constraints LayoutProblem::rulesWithout(std::vector<uint32_t> Lifted) const {
  ConstraintOptions Fewer = Opts;
  Fewer.Lifted = std::move(Lifted);
  return Constraints(record(), Fewer);
}

/// The name of a group whose fields are not adjacent; empty when all are.
static std::string tornGroup(const RecordInfo &Record,
                             const std::vector<uint32_t> &Order) {
  for (uint32_t G = 0; G < Record.Groups.size(); ++G) {
    uint32_t Runs = 0;
    bool In = false;
    for (uint32_t F : Order) {
      bool Here = isInside(Record, Record.Fields[F].Group, G);
      Runs += Here && !In;
      In = Here;
    }
    if (Runs > 1)
      return Record.Groups[G].Name;
  }
  return {};
}

std::vector<std::string>
LayoutProblem::brokenRules(const MoveUnitOrder &Order) const {
  std::vector<std::string> Said;
  const auto &Notes = Rules->notes();
  if (!Rules->legal(Order)) {
    auto AllBut = [&](size_t Kept) {
      std::vector<uint32_t> Lifted;
      for (uint32_t I = 0; I < Notes.size(); ++I)
        if (I != Kept)
          Lifted.push_back(I);
      return Lifted;
    };
    // What is joined is one move unit: no order of move units breaks that.
    auto Joined = [&](const ConstraintNote &Note) {
      return std::ranges::any_of(Opts.Rules, [&](const SourceRule &Rule) {
        return Rule.Kind == RuleKind::Join && Rule.Why == Note.Why &&
               !Rule.Fields.empty() &&
               Rule.Fields.front() < record().Fields.size() &&
               record().Fields[Rule.Fields.front()].Name == Note.Field;
      });
    };
    bool Fixed = !rulesWithout(AllBut(Notes.size())).legal(Order);
    for (size_t I = 0; I < Notes.size(); ++I)
      if (!Joined(Notes[I]) &&
          (Fixed ? !Notes[I].Liftable : !rulesWithout(AllBut(I)).legal(Order)))
        Said.push_back((Notes[I].Field.empty() ? "" : Notes[I].Field + ": ") +
                       Notes[I].Why);
    if (const std::string Torn = tornGroup(record(), Rules->fields(Order));
        !Torn.empty())
      Said.push_back("takes fields out of the anonymous struct of " + Torn +
                     ", or others into it");
    // Anchors may only break a rule together: they keep their order.
    if (Said.empty())
      Said.push_back("aligned fields keep their order");
  }
  return Said;
}

std::vector<std::string>
LayoutProblem::objections(const MoveUnitOrder &Order) const {
  std::vector<std::string> Said = brokenRules(Order);
  std::vector<uint32_t> Fields = Rules->fields(Order);
  uint64_t Grown = 0;
  for (const SearchConfig &In : Space->configs())
    if (uint64_t Size = In.Offsets.layout(Fields).SizeBytes;
        Size > In.MostBytes)
      Grown = std::max(Grown, Size - In.MostBytes);
  if (Grown)
    Said.push_back("takes " + std::to_string(Grown) +
                   (Grown == 1 ? " byte" : " bytes") + " more than now");
  Layout Plan = Space->layout(Order);
  size_t Demanded = 0;
  for (const Placement &Demand : Space->placements())
    if (!meets(Demand, record(), Plan.Order, Plan.OffsetBits,
               model().options().LineBytes)) {
      Said.push_back(Demand.Asked
                         ? "does not meet --pin " + Demand.Text
                         : "joins " + Demand.Text +
                               ", which the present order keeps apart");
      ++Demanded;
    }
  if (Space->unmet(Plan.Order, Plan.OffsetBits) > Demanded)
    Said.push_back("makes bit-fields of different runs one memory location");
  return Said;
}

} // namespace kst
