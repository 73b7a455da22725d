// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/Lifetimes.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include <algorithm>

namespace kst {

namespace {

/// A function frees its parameter if it does so more often than a pointer is
/// not null ([GCC] 70 %, less what other guards take).
constexpr double UnlessNull = 0.6;
/// A callee publishes what it is given if it is not only on an error path.
constexpr double MayPublish = 0.1;
constexpr unsigned MaxAttachments = 4; ///< objects attached to one another

} // namespace

FunctionLifetimes::FunctionLifetimes(const Program &Whole,
                                     const CodeFrequencies &Code,
                                     FunctionId Function, LinkValues &Pool,
                                     ValueTranslator &Values,
                                     const Earlier<LifetimeSummary> &Summaries)
    : Whole(Whole), Code(Code), Function(Function), Pool(Pool), Values(Values),
      Births(Whole, Code, Function, Pool, Values, Summaries),
      Events(Whole, Code, Function, Pool, Values, Births, Summaries),
      Facts(Whole.unitOf(Function)), Fact(*Whole.Functions[Function].Fact) {}

/// Steady or first use once it may have been published; before, what its birth
/// says.
LifeState FunctionLifetimes::privacy(LinkId Root, CodePoint Point,
                                     std::vector<LinkId> OnTheWay) {
  LifeState State;
  switch (Births.birth(Root)) {
  case Birth::Fresh:
    State.What = LifeState::SetUp;
    break;
  case Birth::Param:
    if (Pool[Root].A >= LifetimeSummary::MaxParams)
      return {};
    State = {LifeState::Open, 1u << Pool[Root].A};
    break;
  default:
    return {};
  }
  const LifeState Published{State.What == LifeState::SetUp ? LifeState::FirstUse
                                                           : LifeState::Steady};
  std::vector<ObjectEvent> Past = Events.byOtherNames(Root, Point);
  for (const ObjectEvent &E : Events.of(Root))
    if (Events.happened(Root, E.Kind, E.Other, Point))
      Past.push_back(E);
  OnTheWay.push_back(Root);
  for (const ObjectEvent &E : Past) {
    if (E.Kind == ObjectEventKind::Publish)
      return Published;
    if (E.Kind != ObjectEventKind::Attach)
      continue;
    for (LinkId To : holders(E.Other, Point)) {
      if (std::ranges::find(OnTheWay, To) != OnTheWay.end())
        continue;
      if (OnTheWay.size() > MaxAttachments || To == None)
        return Published;
      LifeState Holder = privacy(To, Point, OnTheWay);
      if (Holder.What == LifeState::Steady ||
          Holder.What == LifeState::FirstUse)
        return Published;
      State = attachedTo(State, Holder);
    }
  }
  return State;
}

/// Who finds one of these finds what was attached to the object: itself, and
/// where that was moved to. None: everybody does.
std::vector<LinkId> FunctionLifetimes::holders(LinkId Root, CodePoint Point) {
  std::vector<LinkId> Found{Root};
  for (size_t I = 0; I != Found.size(); ++I) {
    const LinkId From = Found[I];
    if (From == None)
      continue;
    for (const ObjectEvent &E : Events.of(From))
      if (E.Kind == ObjectEventKind::Move &&
          std::ranges::find(Found, E.Other) == Found.end() &&
          Events.happened(From, ObjectEventKind::Move, E.Other, Point))
        Found.push_back(E.Other);
  }
  return Found;
}

LifeState FunctionLifetimes::stateAt(LinkId Instance, uint32_t Block,
                                     uint32_t Order) {
  LinkId Root = Births.root(Instance);
  // What a list head on the stack is a member of, as far as its first value
  // tells, is no object.
  if (Pool[Root].Kind == ValueKind::Object && Births.isContainer(Instance))
    return {};
  const CodePoint Point{Block, Order};
  LifeState State = privacy(Root, Point);
  if (State.What == LifeState::SetUp)
    return State;
  if (Events.ahead(Root, ObjectEventKind::Free, Point) >= NearlyAll)
    return {LifeState::TearDown};
  const ValueTraits &Traits = Pool.traits(Instance);
  if (Pool[Root].Kind != ValueKind::Param && Traits.HasParam && !Traits.Opaque)
    return {LifeState::Open};
  return State;
}

/// Every place that uses the object leads to its end.
bool FunctionLifetimes::isFreed(LinkId Param) {
  if (Events.of(Param).empty() || !Fact.Blocks.size())
    return false;
  const uint32_t Entry = Fact.Blocks.size() - 1;
  if (Events.ahead(Param, ObjectEventKind::Free, {Entry, 0}) < UnlessNull)
    return false;
  auto Leads = [&](LinkId Value, uint32_t Block, uint32_t Order) {
    return Births.root(Value) != Param ||
           Events.ahead(Param, ObjectEventKind::Free, {Block, Order}) >=
               NearlyAll;
  };
  for (const AccessFact &A : rowsOf(Facts.Accesses, Fact.Accesses)) {
    if (!Leads(Values.translate(A.Address), A.Block, A.Order))
      return false;
  }
  return true;
}

/// `*to = p`, of an object that nobody else finds when the function returns.
bool FunctionLifetimes::makes(LinkId Param) {
  bool Sets = false;
  for (const StoreFact &Store : rowsOf(Facts.Stores, Fact.Stores)) {
    if (Values.translate(Store.Stored) == Param)
      return false;
    if (Values.translate(Store.Address) != Param)
      continue;
    const ValueFact &Value = Facts.Values[Fact.Values.Begin + Store.Stored];
    if (Value.Kind == ValueKind::Call &&
        isA(NameKind::ErrorPointer,
            Whole.calleeName(Whole.Functions[Function].Unit,
                             Facts.Calls[Fact.Calls.Begin + Value.A])))
      continue;
    LinkId Root = Births.root(Values.translate(Store.Stored));
    if (Births.birth(Root) != Birth::Fresh ||
        privacy(Root, {0, ~0u}, {Param}).What != LifeState::SetUp)
      return false;
    Sets = true;
  }
  for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls)) {
    for (uint32_t Arg = 0; Arg != Call.Args.size(); ++Arg) {
      if (Values.argument(Call, Arg) != Param)
        continue;
      if (!Births.makes(Call, Arg))
        return false;
      Sets = true;
    }
  }
  return Sets;
}

LifetimeSummary FunctionLifetimes::summary() {
  LifetimeSummary Summary;
  if (!Fact.Blocks.size())
    return Summary;
  const CodePoint Entry{Fact.Blocks.size() - 1, 0}, Exit{0, ~0u};
  std::vector<LinkId> Returned = Births.objects(Fact.Returns);
  Birth Result = Births.common(Returned, None);
  bool Private = std::ranges::all_of(Returned, [&](LinkId Root) {
    return Births.birth(Root) == Birth::Pool ||
           privacy(Root, Exit).What == LifeState::SetUp;
  });
  // The address of a local variable is no object that lives on.
  bool OwnStack = std::ranges::any_of(Returned, [&](LinkId Root) {
    return Pool[Root].Kind == ValueKind::Object;
  });
  Summary.ReturnsFresh = Result == Birth::Fresh && Private && !OwnStack;
  Summary.ReturnsPooled = Result == Birth::Pool;
  auto Attach = [&](uint8_t Object, uint8_t To) {
    const std::pair Edge(Object, To);
    if (std::ranges::find(Summary.Attaches, Edge) == Summary.Attaches.end())
      Summary.Attaches.push_back(Edge);
  };
  for (uint32_t P = 0;
       P != std::min(Fact.ParamCount, LifetimeSummary::MaxParams); ++P) {
    LinkId Root = Pool.leaf(ValueKind::Param, P);
    Summary.Makes |= uint32_t(makes(Root)) << P;
    const std::vector<ObjectEvent> &Found = Events.of(Root);
    if (Found.empty())
      continue;
    bool Publishes =
        Events.ahead(Root, ObjectEventKind::Publish, Entry) >= MayPublish;
    for (const ObjectEvent &E : Found) {
      if (E.Kind != ObjectEventKind::Attach)
        continue;
      for (LinkId To : holders(E.Other, Exit)) {
        if (std::ranges::find(Returned, To) != Returned.end())
          Attach(P, LifetimeSummary::Returned);
        if (To != None && Pool[To].Kind == ValueKind::Param &&
            Pool[To].A < LifetimeSummary::MaxParams) {
          Attach(P, Pool[To].A);
          continue;
        }
        const LifeState Holder = To == None ? LifeState() : privacy(To, Exit);
        Publishes |= Holder.What == LifeState::Steady ||
                     Holder.What == LifeState::FirstUse;
        for (uint32_t Of = 0; Of != LifetimeSummary::MaxParams; ++Of)
          if (Of != P && (Holder.Params >> Of & 1))
            Attach(P, Of);
      }
    }
    Summary.Publishes |= uint32_t(Publishes) << P;
    Summary.Frees |= uint32_t(isFreed(Root)) << P;
  }
  return Summary;
}

std::vector<PassedObject> FunctionLifetimes::passed() {
  std::vector<PassedObject> Objects;
  const uint32_t Unit = Whole.Functions[Function].Unit;
  for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls)) {
    for (const NameUse &Role : lifetimeRoles(Whole.calleeName(Unit, Call)))
      if (Role.Kind == NameKind::Dying)
        if (LinkId Callback = Values.argument(Call, Role.Other);
            Callback != None && Pool[Callback].Kind == ValueKind::Function)
          if (FunctionId To = Whole.functionByKey(Unit, Pool[Callback].A);
              To != None)
            Objects.push_back({To, 0, {LifeState::TearDown}});
    for (const PossibleCallee &Callee : Code.callees(Function, Call)) {
      const FunctionFact &Body = *Whole.Functions[Callee.Function].Fact;
      const TuFacts &Its = Whole.unitOf(Callee.Function);
      uint32_t Count = std::min({Call.Args.size(), Body.ParamRecords.size(),
                                 LifetimeSummary::MaxParams});
      for (uint32_t Arg = 0; Arg != Count; ++Arg) {
        LinkId Value = Values.argument(Call, Arg);
        // An object, or the address of a variable of this function.
        if (Value == None ||
            (Its.ValueArgs[Body.ParamRecords.Begin + Arg] == None &&
             Pool[Births.root(Value)].Kind != ValueKind::Object) ||
            Pool[Births.root(Value)].Kind == ValueKind::Const)
          continue;
        Objects.push_back(
            {Callee.Function, Arg, stateAt(Value, Call.Block, Call.Order)});
      }
    }
  }
  return Objects;
}

} // namespace kst
