// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/Visits.h"

#include "hybrid/program/FunctionEffects.h"
#include "hybrid/program/Lifetimes.h"
#include "hybrid/program/VisitBasis.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

namespace kst {

namespace {

class VisitFinder {
public:
  VisitFinder(const VisitBasis &Basis, const SubjectRecord &Subject)
      : Basis(Basis), Whole(Basis.Whole), Subject(Subject), Often(Basis.Often),
        Pool(&Basis.values()) {}

  /// Functions that say nothing about the subject are left as the basis has
  /// them: they make no visit to it.
  VisitList find() {
    std::set<uint32_t> Turns;
    for (FunctionId Id : Basis.functionsOn(Subject))
      Turns.insert(Basis.turns()[Id]);
    while (!Turns.empty()) {
      const FunctionId Id = Basis.order()[*Turns.begin()];
      Turns.erase(Turns.begin());
      summarise(Id);
      if (saysMore(Id) || guesses(Id))
        for (FunctionId Caller : Basis.callersOf(Id))
          Turns.insert(Basis.turns()[Caller]);
    }
    std::vector<FunctionId> Looked;
    for (const auto &[Id, Summary] : Summaries)
      Looked.push_back(Id);
    std::ranges::sort(Looked);
    for (FunctionId Id : Looked)
      keepOwn(Id, Basis.callers());
    return std::move(Found);
  }

private:
  void summarise(FunctionId Id) {
    ValueTranslator Values(Whole, Id, Pool, Basis.returnsAt(Id));
    // With a translator of its own: what Values names is what the function
    // deals with.
    ValueTranslator Objects(Whole, Id, Pool, Basis.returnsAt(Id));
    FunctionLifetimes Lives(Whole, Basis.Code, Id, Pool, Objects,
                            Basis.lifetimesAt(Id));
    FunctionEffects Here(Whole, Basis.Code, Subject, Pool, Id, Values,
                         KnownEffects(Basis.effectsAt(Id), Summaries), Lives,
                         Basis.Configured, Basis.HasRounds[Id], Found.Drops);
    Here.collect();
    Found.ResolvedSites += Here.ResolvedSites;
    Effects &Summary = Summaries[Id];
    for (auto &[Key, Inner] : Here.All) {
      // No caller takes over what a thread does in its rounds.
      if (Pool.traits(Key.Instance).Opaque || Key.Round != None)
        Owned[Id][Key] = {std::move(Inner),
                          Here.visitsPerCall(Key.Instance, Key.Round)};
      else
        Summary.emplace(Key, std::move(Inner));
    }
    for (const TakeOver &Take : Here.Taken) {
      CallersTold &Told = TakenOver[Take.Callee][Take.Instance];
      Told.Times += Often.Total[Id] * Take.Times;
      Told.Inside += Often.Total[Id] * Take.Inside;
      Told.Outside += Often.Total[Id] * Take.Outside;
    }
  }

  /// Whether it is left to callers what some pointer of it leads into: what
  /// they know says what the rest may mean.
  bool guesses(FunctionId Id) const {
    return std::ranges::any_of(Summaries.at(Id), [&](const auto &Of) {
      const EffectKey &Key = Of.first;
      return Key.Field == None && Key.Part != None &&
             Subject.share(Key.Part) > 0 && Pool.traits(Key.Instance).HasParam;
    });
  }

  /// Whether callers see other effects than the basis gives them.
  bool saysMore(FunctionId Id) const {
    const Effects &Own = Summaries.at(Id);
    auto It = Own.begin();
    for (const auto &[Key, Inner] : Basis.effects(Id)) {
      if (!concerns(Key, Subject))
        continue;
      if (It == Own.end() || It->first != Key || It->second != Inner)
        return true;
      ++It;
    }
    return It != Own.end();
  }

  /// How often callers took over what a function does with an instance, and
  /// in how many of these it is known to be in a subject or not.
  struct CallersTold {
    double Times = 0, Inside = 0, Outside = 0;
  };

  struct OwnedEffect {
    Effect Inner;
    double VisitsPerCall = 1;
  };

  using VisitsByInstance = std::map<std::tuple<LinkId, Phase, uint32_t>, Visit>;

  /// What no caller took over is a visit of the function itself.
  void keepOwn(FunctionId Id, const PassedStates &Callers) {
    VisitsByInstance Visits;
    for (const auto &[Key, Inner] : Summaries[Id]) {
      CallersTold Told;
      if (auto It = TakenOver[Id].find(Key.Instance); It != TakenOver[Id].end())
        Told = It->second;
      const double Times = Often.Total[Id] - Told.Times;
      if (Times > 1e-9 * Often.Total[Id])
        addTo(Visits, Id, Key, phase(Id, Key, Callers), Inner, Times, Told);
    }
    for (const auto &[Key, Held] : Owned[Id])
      addTo(Visits, Id, Key, phase(Id, Key, Callers), Held.Inner,
            Often.Total[Id] * Held.VisitsPerCall, {});
    for (auto &[Instance, Of] : Visits)
      finish(Of);
  }

  /// What the function leaves open, its callers have told.
  Phase phase(FunctionId Id, const EffectKey &Key,
              const PassedStates &Callers) const {
    LifeState::Kind State = Key.When.What;
    if (State == LifeState::Open) {
      State = Callers.of(Id, Key.When.Params);
      // Made here, and hung on what the callers know.
      if (State == LifeState::Steady && Pool.traits(Key.Instance).Opaque)
        State = LifeState::FirstUse;
    }
    return State == LifeState::SetUp      ? Phase::SetUp
           : State == LifeState::FirstUse ? Phase::FirstUse
           : State == LifeState::TearDown ? Phase::TearDown
           : Key.Configuration            ? Phase::Configuration
                                          : Phase::Steady;
  }

  void addTo(VisitsByInstance &Visits, FunctionId Id, EffectKey Key, Phase When,
             const Effect &Inner, double Times, const CallersTold &Told) {
    double Share = 1;
    const bool Guess = Key.Field == None;
    if (Guess) {
      // A variable of a member's type is no part of a subject.
      if (Key.Part == None || Pool.isVariable(Key.Instance))
        return;
      Share = Subject.share(Key.Part);
      // Not every caller of what is done to a building block was asked.
      if (Share <= 0)
        return;
      // As those calls of which it is known.
      if (Told.Inside + Told.Outside > 0)
        Share = std::min(1., Told.Inside / (Told.Inside + Told.Outside));
      if (Share <= 0)
        return;
      Key.Field = Subject.homes(Key.Part).front();
    }
    if (Times <= 0)
      return;
    Visit &Of = Visits[{Key.Instance, When, Key.Round}];
    Of.Owner = Id;
    Of.When = When;
    Of.Instance = Key.Instance;
    const ValueTraits &Traits = Pool.traits(Key.Instance);
    Of.Loop = Key.Round != None    ? Key.Round
              : Traits.Owner == Id ? Traits.Loop
                                   : None;
    Of.Weight = Times;
    Effect Added = Inner;
    if (Guess) {
      Added.assume();
      Subject.keepSpots(Added, Key.Field, Subject.homeOffset(Key.Part));
    }
    Of.Fields[Key.Field].add(Added, Share, Share);
  }

  /// A visit is one that touches something: probabilities are conditional on
  /// the field that is touched most often.
  void finish(Visit &Of) {
    double Most = 0;
    for (const auto &[Field, Inner] : Of.Fields)
      Most = std::max(Most, Inner.Probability);
    if (Most <= 0)
      return;
    for (auto &[Field, Inner] : Of.Fields)
      Inner.condition(Most);
    Of.Weight *= Most;
    Of.Cpu = relation(Of.Instance);
    // Who makes an object, frees it or sets it up once does not share it.
    if (Root From = rootOf(Of.Instance);
        From && (Of.When == Phase::Steady || From == &ObjectRoots::Own))
      Found.Roots.*From += Of.Weight;
    Found.Visits.push_back(std::move(Of));
  }

  /// A variable that is set to several instances: what they have in common,
  /// those of which nothing is known left out.
  CpuRelation commonRelation(LinkId Variable, unsigned Depth) const {
    CpuRelation Common = CpuRelation::Unknown;
    for (LinkId Option : Pool.alternatives(Variable)) {
      CpuRelation Of = relation(Option, Depth + 1);
      if (Of == CpuRelation::Unknown || Of == Common)
        continue;
      if (Common != CpuRelation::Unknown)
        return CpuRelation::Unknown;
      Common = Of;
    }
    return Common;
  }

  CpuRelation relation(LinkId Instance, unsigned Depth = 0) const {
    constexpr unsigned MaxDepth = 4; // variables set from one another
    for (;;) {
      const LinkValue &Node = Pool[Instance];
      switch (Node.Kind) {
      case ValueKind::Current:
      case ValueKind::Object: // on the stack
        return CpuRelation::Local;
      case ValueKind::PerCpu:
        if (Pool[Node.B].Kind == ValueKind::ThisCpu)
          return CpuRelation::Local;
        // The CPU changes from iteration to iteration.
        return Pool.traits(Node.B).Loop != None ? CpuRelation::Remote
                                                : CpuRelation::Chosen;
      case ValueKind::Global: // this_cpu_*(variable.field)
        return Node.B & GlobalPerCpu ? CpuRelation::Local
                                     : CpuRelation::Unknown;
      case ValueKind::Field:
      case ValueKind::Element:
      case ValueKind::Container:
        Instance = Node.A;
        continue;
      case ValueKind::Local:
      case ValueKind::Choice:
        return Depth < MaxDepth ? commonRelation(Instance, Depth)
                                : CpuRelation::Unknown;
      default:
        return CpuRelation::Unknown;
      }
    }
  }

  using Root = double ObjectRoots::*;

  /// Own: `current`, this CPU's data, the stack, and what a pointer in the
  /// first two points to; one that was put on the stack may point anywhere.
  /// Null where there is no object.
  Root rootOf(LinkId Instance, unsigned Depth = 0) const {
    constexpr unsigned MaxDepth = 4; // variables set from one another
    bool Loaded = false, Part = false;
    for (;;) {
      const LinkValue &Node = Pool[Instance];
      switch (Node.Kind) {
      case ValueKind::Object:
        return Loaded ? &ObjectRoots::Other : &ObjectRoots::Own;
      case ValueKind::Current:
        return &ObjectRoots::Own;
      case ValueKind::PerCpu:
        return Pool[Node.B].Kind == ValueKind::ThisCpu ? &ObjectRoots::Own
                                                       : &ObjectRoots::Other;
      case ValueKind::Global:
        return Node.B & GlobalPerCpu ? &ObjectRoots::Own : &ObjectRoots::Other;
      case ValueKind::Load: {
        const LinkValue &From = Pool[Node.A];
        // Objects that point to one another belong together.
        if (From.Kind == ValueKind::Field && From.B == Subject.id()) {
          Instance = From.A;
          continue;
        }
        if (Loaded)
          return &ObjectRoots::Other;
        Loaded = true;
        Instance = Node.A;
        continue;
      }
      case ValueKind::Const:
        return nullptr; // no object
      case ValueKind::Container:
      case ValueKind::Field:
      case ValueKind::Element:
        Part = true;
        Instance = Node.A;
        continue;
      case ValueKind::Param:
        return Part || Loaded ? &ObjectRoots::Other : &ObjectRoots::Handed;
      case ValueKind::Local:
      case ValueKind::Choice:
        return Part || Loaded || Depth >= MaxDepth
                   ? &ObjectRoots::Other
                   : commonRoot(Instance, Depth);
      default:
        return &ObjectRoots::Other;
      }
    }
  }

  Root commonRoot(LinkId Variable, unsigned Depth) const {
    Root Common = nullptr;
    for (LinkId Option : Pool.alternatives(Variable)) {
      Root Of = rootOf(Option, Depth + 1);
      if (Of)
        Common = !Common || Of == Common ? Of : &ObjectRoots::Other;
    }
    return Common;
  }

  const VisitBasis &Basis;
  const Program &Whole;
  const SubjectRecord &Subject;
  const Frequencies &Often;
  LinkValues Pool;
  /// Of the functions that were looked at.
  std::unordered_map<FunctionId, Effects> Summaries;
  std::unordered_map<FunctionId, std::map<EffectKey, OwnedEffect>> Owned;
  std::unordered_map<FunctionId, std::map<LinkId, CallersTold>> TakenOver;
  VisitList Found;
};

} // namespace

VisitList findVisits(const VisitBasis &Basis, const SubjectRecord &Subject) {
  return VisitFinder(Basis, Subject).find();
}

} // namespace kst
