// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/link/Lifetimes.h"

#include "hybrid/link/LifetimeNames.h"

#include <algorithm>
#include <cmath>

namespace kst {

namespace {

/// A place lies in the part of the life that ends when so much of what may
/// follow frees the object; the rest are ways that give up.
constexpr double NearlyAll = 0.9;
/// So many of the functions behind a table must return a fresh object: one in
/// ten that keeps a list of its objects does not speak for the others.
constexpr double MostTargets = 0.75;
/// A function frees its parameter if it does so more often than a pointer is
/// not null ([GCC] 70 %, less what other guards take).
constexpr double UnlessNull = 0.6;
/// A callee publishes what it is given if it is not only on an error path.
constexpr double MayPublish = 0.1;
constexpr unsigned MaxDepth = 4; ///< variables set from one another
constexpr uint32_t MaxParams = 32;

} // namespace

FunctionLifetimes::FunctionLifetimes(
    const Program &Whole, const CodeFrequencies &Code, FunctionId Function,
    LinkValues &Pool, ValueTranslator &Values,
    const std::vector<LifetimeSummary> &Summaries)
    : Whole(Whole), Code(Code), Function(Function), Pool(Pool), Values(Values),
      Summaries(Summaries), Facts(Whole.unitOf(Function)),
      Fact(*Whole.Functions[Function].Fact) {
  addEvents();
}

LinkId FunctionLifetimes::root(LinkId Value) const {
  for (;; Value = Pool[Value].A)
    switch (Pool[Value].Kind) {
    case ValueKind::Field:
    case ValueKind::Element:
    case ValueKind::Container:
    case ValueKind::PerCpu:
      continue;
    default:
      return Value;
    }
}

bool FunctionLifetimes::isContainer(LinkId Value) const {
  for (LinkId Root = root(Value); Value != Root; Value = Pool[Value].A)
    if (Pool[Value].Kind == ValueKind::Container)
      return true;
  return false;
}

/// `per_cpu_ptr(q->parts, cpu)`: the address of q->parts.
LinkId FunctionLifetimes::perCpuPart(LinkId Value) const {
  LinkId Root = root(Value);
  if (Pool[Root].Kind != ValueKind::Load)
    return None;
  for (; Value != Root; Value = Pool[Value].A)
    if (Pool[Value].Kind == ValueKind::PerCpu)
      return Pool[Root].A;
  return None;
}

FunctionLifetimes::Birth FunctionLifetimes::birth(LinkId Root) {
  // A variable that is set from itself adds nothing.
  auto [It, New] = Births.try_emplace(Root, Birth::Shared);
  if (!New)
    return It->second;
  Birth How = birthOf(Root);
  return Births[Root] = How;
}

FunctionLifetimes::Birth FunctionLifetimes::birthOf(LinkId Root) {
  const LinkValue Value = Pool[Root];
  switch (Value.Kind) {
  case ValueKind::Param:
    return Birth::Param;
  case ValueKind::Object:
    return Value.C == Function ? Birth::Fresh : Birth::Shared;
  case ValueKind::Call:
    return Value.C == Function
               ? birthOfCall(Facts.Calls[Fact.Calls.Begin + Value.A])
               : Birth::Shared;
  case ValueKind::Local:
  case ValueKind::Choice:
    if (Value.C != Function)
      return Birth::Shared;
    return common(objects(Facts.Values[Fact.Values.Begin + Value.A].Args),
                  Root);
  case ValueKind::Load:
    return isPooled(Root) ? Birth::Pool : Birth::Shared;
  default:
    return Birth::Shared;
  }
}

/// Loaded from memory of the running CPU: an entry of a free list or array.
bool FunctionLifetimes::isPooled(LinkId Value) const {
  for (;; Value = Pool[Value].A)
    switch (Pool[Value].Kind) {
    case ValueKind::Field:
    case ValueKind::Element:
    case ValueKind::Container:
    case ValueKind::Load:
      continue;
    case ValueKind::PerCpu:
      return Pool[Pool[Value].B].Kind == ValueKind::ThisCpu;
    case ValueKind::Global:
      return Pool[Value].B & GlobalPerCpu;
    default:
      return false;
    }
}

std::vector<LinkId> FunctionLifetimes::objects(Range Of) {
  std::vector<LinkId> Roots;
  for (uint32_t I = Of.Begin; I != Of.End; ++I) {
    ValueId Id = Facts.ValueArgs[I];
    const ValueFact &Value = Facts.Values[Fact.Values.Begin + Id];
    if (Value.Kind == ValueKind::Call &&
        isErrorPointer(
            Whole.calleeName(Whole.Functions[Function].Unit,
                             Facts.Calls[Fact.Calls.Begin + Value.A])))
      continue;
    LinkId Root = root(Values.translate(Id));
    if (Pool[Root].Kind != ValueKind::Const)
      Roots.push_back(Root);
  }
  return Roots;
}

/// One fresh object and others that a pool kept: all are the caller's own.
FunctionLifetimes::Birth
FunctionLifetimes::common(const std::vector<LinkId> &Roots, LinkId Except) {
  Birth All = Birth::Shared;
  for (LinkId Root : Roots) {
    if (Root == Except)
      continue;
    Birth One = birth(Root);
    if (One != Birth::Fresh && One != Birth::Pool)
      return Birth::Shared;
    if (All != Birth::Fresh)
      All = One;
  }
  return All;
}

FunctionLifetimes::Birth
FunctionLifetimes::birthOfCall(const CallFact &Call) const {
  std::string_view Name =
      Whole.calleeName(Whole.Functions[Function].Unit, Call);
  std::span<const LifetimeName> Roles = lifetimeRoles(Name);
  for (const LifetimeName &Role : Roles)
    if (Role.Role == LifetimeRole::Allocates ||
        Role.Role == LifetimeRole::AllocatesCleared)
      return Birth::Fresh;
  if (!Roles.empty())
    return Birth::Shared;
  std::vector<CallTarget> Targets = Code.targets(Function, Call);
  if (Targets.empty())
    return soundsLikeAllocating(Name) ? Birth::Fresh : Birth::Shared;
  double Fresh = 0, Pooled = 0;
  for (const CallTarget &Target : Targets) {
    Fresh += Target.Share * Summaries[Target.Function].ReturnsFresh;
    Pooled += Target.Share * Summaries[Target.Function].ReturnsPooled;
  }
  return Fresh >= MostTargets    ? Birth::Fresh
         : Pooled >= MostTargets ? Birth::Pool
                                 : Birth::Shared;
}

void FunctionLifetimes::addEvents() {
  for (uint32_t I = Fact.Stores.Begin; I != Fact.Stores.End; ++I) {
    const StoreFact &Store = Facts.Stores[I];
    hand(Values.translate(Store.Stored), Values.translate(Store.Address),
         {Store.Block, Store.Order});
  }
  for (uint32_t I = Fact.Calls.Begin; I != Fact.Calls.End; ++I)
    addCall(Facts.Calls[I]);
}

/// What happens to a variable happens to what it may stand for.
void FunctionLifetimes::addEvent(LinkId Root, Event What, unsigned Depth) {
  Events[Root].push_back(What);
  if (Depth == MaxDepth)
    return;
  // A copy: the events of an alternative may be new.
  for (LinkId Option : std::vector<LinkId>(Pool.alternatives(Root)))
    if (LinkId Inner = root(Option); Inner != Root)
      addEvent(Inner, What, Depth + 1);
}

void FunctionLifetimes::hand(LinkId Object, LinkId To, Point At) {
  if (Object == None || To == None)
    return;
  Object = root(Object);
  // A per-CPU allocation belongs to the object whose pointer leads to it.
  if (LinkId Inner = perCpuPart(To); Inner != None && root(Inner) == Object)
    return;
  To = root(To);
  if (Object == To)
    return;
  switch (Pool[Object].Kind) {
  case ValueKind::Param:
  case ValueKind::Call:
  case ValueKind::Local:
  case ValueKind::Choice:
    break;
  default:
    return; // shared anyway
  }
  Birth Holder = birth(To);
  if (Holder == Birth::Fresh || Holder == Birth::Param)
    addEvent(Object, {EventKind::Attach, At, To});
  else
    addEvent(Object, {EventKind::Publish, At});
}

void FunctionLifetimes::addCall(const CallFact &Call) {
  const Point At{Call.Block, Call.Order};
  auto Object = [&](uint32_t Arg) {
    LinkId Value = Values.argument(Call, Arg);
    return Value == None ? None : root(Value);
  };
  auto Add = [&](uint32_t Arg, EventKind Kind) {
    if (LinkId Root = Object(Arg); Root != None)
      addEvent(Root, {Kind, At});
  };
  std::string_view Name =
      Whole.calleeName(Whole.Functions[Function].Unit, Call);
  std::span<const LifetimeName> Roles = lifetimeRoles(Name);
  for (const LifetimeName &Role : Roles)
    switch (Role.Role) {
    case LifetimeRole::Frees:
      Add(Role.Arg, EventKind::Free);
      break;
    case LifetimeRole::Publishes:
      Add(Role.Arg, EventKind::Publish);
      break;
    case LifetimeRole::Attaches:
      hand(Values.argument(Call, Role.Arg), Values.argument(Call, Role.Other),
           At);
      break;
    default:
      break;
    }
  if (!Roles.empty())
    return;
  const uint32_t Count = std::min<uint32_t>(Call.Args.size(), MaxParams);
  std::vector<CallTarget> Targets = Code.targets(Function, Call);
  if (Targets.empty()) {
    if (soundsLikePublishing(Name))
      for (uint32_t Arg = 0; Arg != Count; ++Arg)
        if (!(Call.ConstArgs >> Arg & 1))
          Add(Arg, EventKind::Publish);
    return;
  }
  std::vector<double> Publishes(Count), Frees(Count);
  for (const CallTarget &Target : Targets) {
    const LifetimeSummary &Of = Summaries[Target.Function];
    for (uint32_t Arg = 0; Arg != Count; ++Arg) {
      Publishes[Arg] += Target.Share * (Of.Publishes >> Arg & 1);
      Frees[Arg] += Target.Share * (Of.Frees >> Arg & 1);
    }
    if (Target.Share >= 0.5)
      for (auto [Object, To] : Of.Attaches)
        hand(Values.argument(Call, Object), Values.argument(Call, To), At);
  }
  for (uint32_t Arg = 0; Arg != Count; ++Arg) {
    if (Publishes[Arg] >= 0.5)
      Add(Arg, EventKind::Publish);
    if (Frees[Arg] >= NearlyAll)
      Add(Arg, EventKind::Free);
  }
}

const std::vector<FunctionLifetimes::Point> &
FunctionLifetimes::births(LinkId Root) {
  auto [It, New] = BirthPoints.try_emplace(Root);
  if (!New)
    return It->second;
  std::vector<Point> Points;
  const LinkValue Value = Pool[Root];
  if (Value.Kind == ValueKind::Call && Value.C == Function) {
    const CallFact &Call = Facts.Calls[Fact.Calls.Begin + Value.A];
    Points.push_back({Call.Block, Call.Order});
  }
  for (LinkId Option : std::vector<LinkId>(Pool.alternatives(Root)))
    for (Point At : births(root(Option)))
      Points.push_back(At);
  return BirthPoints[Root] = std::move(Points);
}

/// After <= order of the birth < Before.
bool FunctionLifetimes::bornBetween(LinkId Root, uint32_t Block, uint32_t After,
                                    uint32_t Before) {
  return std::ranges::any_of(births(Root), [&](Point At) {
    return At.Block == Block && At.Order >= After && At.Order < Before;
  });
}

bool FunctionLifetimes::isHeader(uint32_t Block, uint32_t Loop) const {
  auto Inside = [&](uint32_t B) {
    for (uint32_t L = Facts.Blocks[Fact.Blocks.Begin + B].Loop; L != None;
         L = Facts.Loops[Fact.Loops.Begin + L].Parent)
      if (L == Loop)
        return true;
    return false;
  };
  if (!Inside(Block))
    return false;
  for (uint32_t I = Fact.Edges.Begin; I != Fact.Edges.End; ++I)
    if (Facts.Edges[I].To == Block && !Inside(Facts.Edges[I].From))
      return true;
  return false;
}

bool FunctionLifetimes::renews(LinkId Root, uint32_t Block) const {
  const ValueTraits &Traits = Pool.traits(Root);
  return Traits.Owner == Function && Traits.Loop != None &&
         isHeader(Block, Traits.Loop);
}

bool FunctionLifetimes::happened(LinkId Root, EventKind Kind, LinkId Other,
                                 Point At) {
  auto Found = Events.find(Root);
  if (Found == Events.end())
    return false;
  auto Wanted = [&](const Event &E) {
    return E.Kind == Kind && E.Other == Other;
  };
  if (std::ranges::none_of(Found->second, Wanted))
    return false;
  /// Whether it is so behind the events of the block before Order.
  auto Holds = [&](bool AtBegin, uint32_t Block, uint32_t Order) {
    for (const Event &E : Found->second)
      if (Wanted(E) && E.At.Block == Block && E.At.Order < Order &&
          !bornBetween(Root, Block, E.At.Order + 1, Order))
        return true;
    return AtBegin && !bornBetween(Root, Block, 0, Order);
  };
  auto [It, New] = Before.try_emplace({Root, Kind, Other});
  std::vector<bool> &Begin = It->second;
  if (New) {
    Begin.assign(Fact.Blocks.size(), false);
    std::vector<bool> Renewed(Fact.Blocks.size());
    for (uint32_t B = 0; B != Renewed.size(); ++B)
      Renewed[B] = renews(Root, B);
    for (bool Changed = true; Changed;) {
      Changed = false;
      // From the entry, which has the highest number, to the exit.
      for (uint32_t I = Fact.Edges.End; I-- != Fact.Edges.Begin;) {
        const EdgeFact &Edge = Facts.Edges[I];
        if (Begin[Edge.To] || Renewed[Edge.To] ||
            !Holds(Begin[Edge.From], Edge.From, ~0u))
          continue;
        Begin[Edge.To] = Changed = true;
      }
    }
  }
  return Holds(Begin[At.Block], At.Block, At.Order);
}

double FunctionLifetimes::ahead(LinkId Root, EventKind Kind, Point At) {
  auto Found = Events.find(Root);
  if (Found == Events.end())
    return 0;
  auto Follows = [&](uint32_t Block, uint32_t Order) {
    return std::ranges::any_of(Found->second, [&](const Event &E) {
      return E.Kind == Kind && E.At.Block == Block && E.At.Order >= Order;
    });
  };
  auto [It, New] = After.try_emplace({Root, Kind});
  std::vector<double> &Begin = It->second;
  std::vector<bool> Renewed;
  if (New) {
    if (std::ranges::none_of(Found->second,
                             [&](const Event &E) { return E.Kind == Kind; }))
      return 0;
    Begin.assign(Fact.Blocks.size(), 0);
    Renewed.resize(Fact.Blocks.size());
    for (uint32_t B = 0; B != Renewed.size(); ++B) {
      Renewed[B] = renews(Root, B);
      Begin[B] = Follows(B, 0);
    }
    constexpr unsigned Rounds = 30;
    for (unsigned Round = 0; Round != Rounds; ++Round) {
      double Change = 0;
      for (uint32_t I = Fact.Edges.Begin; I != Fact.Edges.End;) {
        uint32_t From = Facts.Edges[I].From;
        double Sum = 0;
        for (; I != Fact.Edges.End && Facts.Edges[I].From == From; ++I)
          if (!Renewed[Facts.Edges[I].To])
            Sum += Facts.Edges[I].Probability * Begin[Facts.Edges[I].To];
        if (Sum > Begin[From]) {
          Change = std::max(Change, Sum - Begin[From]);
          Begin[From] = Sum;
        }
      }
      if (Change < 1e-4)
        break;
    }
  } else if (Begin.empty())
    return 0;
  if (Follows(At.Block, At.Order))
    return 1;
  // An event earlier in the block makes its begin certain and says nothing of
  // what comes after.
  double Sum = 0;
  for (uint32_t I = Fact.Edges.Begin; I != Fact.Edges.End; ++I)
    if (Facts.Edges[I].From == At.Block && !renews(Root, Facts.Edges[I].To))
      Sum += Facts.Edges[I].Probability * Begin[Facts.Edges[I].To];
  return Sum;
}

/// Steady or first use once it may have been published; before, what its birth
/// says.
LifeState FunctionLifetimes::privacy(LinkId Root, Point At, unsigned Depth) {
  LifeState State;
  switch (birth(Root)) {
  case Birth::Fresh:
    State.What = LifeState::SetUp;
    break;
  case Birth::Param:
    State.What = LifeState::Open;
    State.Param = uint8_t(std::min<uint32_t>(Pool[Root].A, MaxParams));
    if (State.Param == MaxParams)
      return {};
    break;
  default:
    return {};
  }
  auto Found = Events.find(Root);
  if (Found == Events.end())
    return State;
  const LifeState Published{State.What == LifeState::SetUp ? LifeState::FirstUse
                                                           : LifeState::Steady};
  if (Depth == MaxDepth || happened(Root, EventKind::Publish, None, At))
    return Published;
  // By index: looking at others may add events of new roots.
  for (size_t I = 0; I != Found->second.size(); ++I) {
    Event E = Found->second[I];
    if (E.Kind != EventKind::Attach ||
        !happened(Root, EventKind::Attach, E.Other, At))
      continue;
    LifeState Holder = privacy(E.Other, At, Depth + 1);
    if (Holder.What == LifeState::Steady ||
        Holder.What == LifeState::FirstUse ||
        (Holder.What == LifeState::Open && State.What == LifeState::Open))
      return Published;
    if (Holder.What == LifeState::Open)
      State = Holder;
  }
  return State;
}

LifeState FunctionLifetimes::stateAt(LinkId Instance, uint32_t Block,
                                     uint32_t Order) {
  LinkId Root = root(Instance);
  // What a list head on the stack is a member of, as far as its first value
  // tells, is no object.
  if (Pool[Root].Kind == ValueKind::Object && isContainer(Instance))
    return {};
  const Point At{Block, Order};
  LifeState State = privacy(Root, At);
  if (State.What == LifeState::SetUp)
    return State;
  if (ahead(Root, EventKind::Free, At) >= NearlyAll)
    return {LifeState::TearDown};
  const ValueTraits &Traits = Pool.traits(Instance);
  if (Pool[Root].Kind != ValueKind::Param && Traits.HasParam && !Traits.Opaque)
    return {LifeState::Open};
  return State;
}

/// Every place that uses the object leads to its end.
bool FunctionLifetimes::isFreed(LinkId Param) {
  auto Found = Events.find(Param);
  if (Found == Events.end() || !Fact.Blocks.size())
    return false;
  const uint32_t Entry = Fact.Blocks.size() - 1;
  if (ahead(Param, EventKind::Free, {Entry, 0}) < UnlessNull)
    return false;
  auto Leads = [&](LinkId Value, uint32_t Block, uint32_t Order) {
    return root(Value) != Param ||
           ahead(Param, EventKind::Free, {Block, Order}) >= NearlyAll;
  };
  for (uint32_t I = Fact.Accesses.Begin; I != Fact.Accesses.End; ++I) {
    const AccessFact &A = Facts.Accesses[I];
    if (!Leads(Values.translate(A.Address), A.Block, A.Order))
      return false;
  }
  return true;
}

LifetimeSummary FunctionLifetimes::summary() {
  LifetimeSummary Of;
  if (!Fact.Blocks.size())
    return Of;
  const Point Entry{Fact.Blocks.size() - 1, 0}, Exit{0, ~0u};
  std::vector<LinkId> Returned = objects(Fact.Returns);
  Birth Result = common(Returned, None);
  bool Private = std::ranges::all_of(Returned, [&](LinkId Root) {
    return birth(Root) == Birth::Pool ||
           privacy(Root, Exit).What == LifeState::SetUp;
  });
  // The address of a local variable is no object that lives on.
  bool OwnStack = std::ranges::any_of(Returned, [&](LinkId Root) {
    return Pool[Root].Kind == ValueKind::Object;
  });
  Of.ReturnsFresh = Result == Birth::Fresh && Private && !OwnStack;
  Of.ReturnsPooled = Result == Birth::Pool;
  for (uint32_t P = 0; P != std::min(Fact.ParamCount, MaxParams); ++P) {
    LinkId Root = Pool.leaf(ValueKind::Param, P);
    auto Found = Events.find(Root);
    if (Found == Events.end())
      continue;
    bool Publishes = ahead(Root, EventKind::Publish, Entry) >= MayPublish;
    for (size_t I = 0; I != Found->second.size(); ++I) {
      Event E = Found->second[I];
      if (E.Kind != EventKind::Attach)
        continue;
      if (Pool[E.Other].Kind == ValueKind::Param) {
        std::pair<uint8_t, uint8_t> Edge(P, Pool[E.Other].A);
        if (std::ranges::find(Of.Attaches, Edge) == Of.Attaches.end())
          Of.Attaches.push_back(Edge);
      } else {
        LifeState::Kind Holder = privacy(E.Other, Exit).What;
        Publishes |=
            Holder == LifeState::Steady || Holder == LifeState::FirstUse;
      }
    }
    Of.Publishes |= uint32_t(Publishes) << P;
    Of.Frees |= uint32_t(isFreed(Root)) << P;
  }
  return Of;
}

std::vector<PassedObject> FunctionLifetimes::passed() {
  std::vector<PassedObject> All;
  const uint32_t Unit = Whole.Functions[Function].Unit;
  for (uint32_t I = Fact.Calls.Begin; I != Fact.Calls.End; ++I) {
    const CallFact &Call = Facts.Calls[I];
    for (const LifetimeName &Role : lifetimeRoles(Whole.calleeName(Unit, Call)))
      if (Role.Role == LifetimeRole::Dying)
        if (LinkId Callback = Values.argument(Call, Role.Other);
            Callback != None && Pool[Callback].Kind == ValueKind::Function)
          if (FunctionId To = Whole.functionByKey(Pool[Callback].A); To != None)
            All.push_back({To, 0, {LifeState::TearDown}});
    for (const CallTarget &Target : Code.targets(Function, Call)) {
      const FunctionFact &Callee = *Whole.Functions[Target.Function].Fact;
      const TuFacts &Its = Whole.unitOf(Target.Function);
      uint32_t Count =
          std::min({Call.Args.size(), Callee.ParamRecords.size(), MaxParams});
      for (uint32_t Arg = 0; Arg != Count; ++Arg) {
        LinkId Value = Values.argument(Call, Arg);
        if (Its.ValueArgs[Callee.ParamRecords.Begin + Arg] == None ||
            Value == None || Pool[root(Value)].Kind == ValueKind::Const)
          continue;
        All.push_back(
            {Target.Function, Arg, stateAt(Value, Call.Block, Call.Order)});
      }
    }
  }
  return All;
}

namespace {

LifeState::Kind meet(LifeState::Kind A, LifeState::Kind B) {
  if (B == LifeState::FirstUse)
    B = LifeState::Steady;
  if (A == B || B == LifeState::Open)
    return A;
  if (A == LifeState::Open)
    return B;
  bool Private = A != LifeState::Steady && B != LifeState::Steady;
  return Private ? LifeState::TearDown : LifeState::Steady;
}

} // namespace

/// States are Open until a caller is seen. A state only goes down from there,
/// so the rounds end.
PassedStates::PassedStates(
    const Program &Whole,
    const std::vector<std::vector<PassedObject>> &ByCaller) {
  std::map<std::pair<FunctionId, uint32_t>, bool> Seen;
  for (const std::vector<PassedObject> &Of : ByCaller)
    for (const PassedObject &Passed : Of)
      Seen[{Passed.Callee, Passed.Param}] = true;
  addCallbacks(Whole, Seen);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (FunctionId Caller = 0; Caller != ByCaller.size(); ++Caller)
      for (const PassedObject &Passed : ByCaller[Caller]) {
        LifeState::Kind Kind = Passed.State.What;
        if (Kind == LifeState::Open) {
          std::pair<FunctionId, uint32_t> From(Caller, Passed.State.Param);
          if (Passed.State.Param == LifeState::NoParam)
            Kind = LifeState::Steady;
          else if (auto It = States.find(From); It != States.end())
            Kind = It->second;
          else if (!Seen.count(From))
            Kind = LifeState::Steady; // nobody calls it here
          else
            continue;
        }
        auto [It, New] =
            States.try_emplace({Passed.Callee, Passed.Param}, LifeState::Open);
        LifeState::Kind Both = meet(It->second, Kind);
        Changed |= New || Both != It->second;
        It->second = Both;
      }
  }
}

/// Functions in tables through which nobody calls here.
void PassedStates::addCallbacks(
    const Program &Whole,
    const std::map<std::pair<FunctionId, uint32_t>, bool> &Seen) {
  for (uint32_t Unit = 0; Unit != Whole.unitCount(); ++Unit)
    for (const TableFact &Table : Whole.unit(Unit).Tables) {
      if (Table.Record == None)
        continue;
      const TuFacts &Facts = Whole.unit(Unit);
      const RecordFact &Record = Facts.Records[Table.Record];
      const FieldFact &Field = Facts.Fields[Record.Fields.Begin + Table.Field];
      for (const LifetimeCallback &Known : lifetimeCallbacks()) {
        if (Known.Record != Facts.Strings[Record.Name] ||
            Known.Field != Facts.Strings[Field.Name])
          continue;
        FunctionId Id = Whole.functionByKey(Whole.string(Unit, Table.Function));
        if (Id != None && !Seen.count({Id, Known.Param}))
          States[{Id, Known.Param}] =
              Known.Dying ? LifeState::TearDown : LifeState::SetUp;
      }
    }
}

LifeState::Kind PassedStates::of(FunctionId Function, uint32_t Param) const {
  auto It = States.find({Function, Param});
  return It == States.end() ? LifeState::Steady : It->second;
}

} // namespace kst
