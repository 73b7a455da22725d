// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/ObjectEvents.h"

#include "hybrid/program/ReachProbability.h"
#include "hybrid/vocabulary/Vocabulary.h"

#include <algorithm>

namespace kst {

namespace {

constexpr unsigned MaxAssignments = 4; ///< variables set from one another

} // namespace

ObjectEvents::ObjectEvents(const Program &Whole, const CodeFrequencies &Code,
                           FunctionId Function, LinkValues &Pool,
                           ValueTranslator &Values, ObjectBirths &Births,
                           const Earlier<LifetimeSummary> &Summaries)
    : Whole(Whole), Code(Code), Function(Function), Pool(Pool), Values(Values),
      Births(Births), Summaries(Summaries), Facts(Whole.unitOf(Function)),
      Fact(*Whole.Functions[Function].Fact) {
  addEvents();
}

const std::vector<ObjectEvent> &ObjectEvents::of(LinkId Root) const {
  static const std::vector<ObjectEvent> Nothing;
  auto Found = Events.find(Root);
  return Found == Events.end() ? Nothing : Found->second;
}

void ObjectEvents::addEvents() {
  for (const StoreFact &Store : rowsOf(Facts.Stores, Fact.Stores)) {
    hand(Values.translate(Store.Stored), Values.translate(Store.Address),
         {Store.Block, Store.Order});
  }
  for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls))
    addCall(Call);
}

/// What happens to a variable happens to what it may stand for.
void ObjectEvents::addEvent(LinkId Root, ObjectEvent What, unsigned Depth) {
  if (!Depth)
    What.By = Root;
  Events[Root].push_back(What);
  if (Depth == MaxAssignments)
    return;
  // A copy: the events of an alternative may be new.
  for (LinkId Option : std::vector<LinkId>(Pool.alternatives(Root)))
    // What is stored in itself goes nowhere.
    if (LinkId Inner = Births.root(Option);
        Inner != Root &&
        (What.Kind != ObjectEventKind::Attach || Inner != What.Other))
      addEvent(Inner, What, Depth + 1);
}

bool ObjectEvents::isOpenOrFresh(LinkId Root) {
  Birth How = Births.birth(Root);
  return How == Birth::Fresh || How == Birth::Param;
}

void ObjectEvents::hand(LinkId Object, LinkId To, CodePoint Point) {
  if (Object == None || To == None)
    return;
  Object = Births.root(Object);
  // A per-CPU allocation belongs to the object whose pointer leads to it.
  if (LinkId Inner = Births.perCpuPart(To);
      Inner != None && Births.root(Inner) == Object)
    return;
  To = Births.root(To);
  if (Object == To || Pool[To].Kind == ValueKind::Const)
    return;
  switch (Pool[Object].Kind) {
  case ValueKind::Param:
  case ValueKind::Call:
  case ValueKind::Local:
  case ValueKind::Choice:
    break;
  case ValueKind::Load:
    if (Births.isSetByAddress(Object))
      break;
    return;
  default:
    return; // shared anyway
  }
  if (isOpenOrFresh(To))
    addEvent(Object, {ObjectEventKind::Attach, Point, To});
  else
    addEvent(Object, {ObjectEventKind::Publish, Point});
}

/// Of the table of functions that the call goes through.
std::string_view ObjectEvents::memberName(const CallFact &Call) const {
  const RecordFact &Record = Facts.Records[Call.TableRecord];
  return Facts
      .Strings[Facts.Fields[Record.Fields.Begin + Call.TableField].Name];
}

void ObjectEvents::addCall(const CallFact &Call) {
  const CodePoint Point{Call.Block, Call.Order};
  auto Object = [&](uint32_t Arg) {
    LinkId Value = Values.argument(Call, Arg);
    return Value == None ? None : Births.root(Value);
  };
  auto Add = [&](uint32_t Arg, ObjectEventKind Kind) {
    if (LinkId Root = Object(Arg); Root != None)
      addEvent(Root, {Kind, Point});
  };
  std::string_view Name =
      Whole.calleeName(Whole.Functions[Function].Unit, Call);
  std::span<const NameUse> Roles = lifetimeRoles(Name);
  for (const NameUse &Role : Roles)
    switch (Role.Kind) {
    case NameKind::Frees:
      Add(Role.Argument, ObjectEventKind::Free);
      break;
    case NameKind::Publishes:
      Add(Role.Argument, ObjectEventKind::Publish);
      break;
    case NameKind::Attaches:
      hand(Values.argument(Call, Role.Argument),
           Values.argument(Call, Role.Other), Point);
      break;
    case NameKind::Moves:
      if (LinkId From = Object(Role.Argument), To = Object(Role.Other);
          From != None && To != None)
        addEvent(From, {ObjectEventKind::Move, Point,
                        isOpenOrFresh(To) ? To : LinkId(None)});
      break;
    default:
      break;
    }
  if (!Roles.empty())
    return;
  const uint32_t Count =
      std::min<uint32_t>(Call.Args.size(), LifetimeSummary::MaxParams);
  std::vector<PossibleCallee> Callees = Code.callees(Function, Call);
  if (Callees.empty()) {
    if (isA(NameKind::PublishingWord,
            Call.Kind == CallKind::Table ? memberName(Call) : Name))
      for (uint32_t Arg = 0; Arg != Count; ++Arg)
        if (!(Call.ConstArgs >> Arg & 1))
          Add(Arg, ObjectEventKind::Publish);
    return;
  }
  std::vector<double> Publishes(Count), Frees(Count);
  for (const PossibleCallee &Callee : Callees) {
    const LifetimeSummary &Summary = Summaries[Callee.Function];
    for (uint32_t Arg = 0; Arg != Count; ++Arg) {
      Publishes[Arg] += Callee.Share * (Summary.Publishes >> Arg & 1);
      Frees[Arg] += Callee.Share * (Summary.Frees >> Arg & 1);
    }
    if (Callee.Share >= 0.5)
      for (auto [Object, To] : Summary.Attaches)
        hand(Values.argument(Call, Object),
             To == LifetimeSummary::Returned ? Values.result(Call)
                                             : Values.argument(Call, To),
             Point);
  }
  for (uint32_t Arg = 0; Arg != Count; ++Arg) {
    if (Publishes[Arg] >= 0.5)
      Add(Arg, ObjectEventKind::Publish);
    if (Frees[Arg] >= NearlyAll)
      Add(Arg, ObjectEventKind::Free);
  }
}

bool ObjectEvents::reaches(CodePoint From, CodePoint To) {
  if (From.Block == To.Block && From.Order < To.Order)
    return true;
  auto [It, New] = Behind.try_emplace(From.Block);
  std::vector<bool> &Found = It->second;
  if (New) {
    Found.assign(Fact.Blocks.size(), false);
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (uint32_t I = Fact.Edges.End; I-- != Fact.Edges.Begin;) {
        const EdgeFact &Edge = Facts.Edges[I];
        if ((Edge.From == From.Block || Found[Edge.From]) && !Found[Edge.To])
          Found[Edge.To] = Changed = true;
      }
    }
  }
  return Found[To.Block];
}

/// `last = p`, and p was published a round ago: by flow only, since the object
/// stays the same when the other name gets another one.
std::vector<ObjectEvent> ObjectEvents::byOtherNames(LinkId Root,
                                                    CodePoint Point) {
  std::vector<ObjectEvent> Found;
  const std::vector<ObjectEvent> &Own = of(Root);
  std::vector<LinkId> Names{Root};
  for (size_t I = 0; I != Names.size(); ++I)
    for (LinkId Option : Pool.alternatives(Names[I])) {
      LinkId Name = Births.root(Option);
      if (std::ranges::find(Names, Name) != Names.end())
        continue;
      Names.push_back(Name);
      for (const ObjectEvent &E : of(Name))
        if (E.By != Root && std::ranges::find(Own, E) == Own.end() &&
            reaches(E.At, Point))
          Found.push_back(E);
    }
  return Found;
}

bool ObjectEvents::happened(LinkId Root, ObjectEventKind Kind, LinkId Other,
                            CodePoint Point) {
  auto Found = Events.find(Root);
  if (Found == Events.end())
    return false;
  auto Wanted = [&](const ObjectEvent &E) {
    return E.Kind == Kind && E.Other == Other;
  };
  if (std::ranges::none_of(Found->second, Wanted))
    return false;
  /// Whether it is so behind the events of the block before Order.
  auto Holds = [&](bool AtBegin, uint32_t Block, uint32_t Order) {
    for (const ObjectEvent &E : Found->second)
      if (Wanted(E) && E.At.Block == Block && E.At.Order < Order &&
          !Births.bornBetween(Root, Block, E.At.Order + 1, Order))
        return true;
    return AtBegin && !Births.bornBetween(Root, Block, 0, Order);
  };
  auto [It, New] = Before.try_emplace({Root, Kind, Other});
  std::vector<bool> &Begin = It->second;
  if (New) {
    Begin.assign(Fact.Blocks.size(), false);
    std::vector<bool> Renewed(Fact.Blocks.size());
    for (uint32_t B = 0; B != Renewed.size(); ++B)
      Renewed[B] = Births.renews(Root, B);
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
  return Holds(Begin[Point.Block], Point.Block, Point.Order);
}

double ObjectEvents::ahead(LinkId Root, ObjectEventKind Kind, CodePoint Point) {
  auto Found = Events.find(Root);
  if (Found == Events.end())
    return 0;
  auto Follows = [&](uint32_t Block, uint32_t Order) {
    return std::ranges::any_of(Found->second, [&](const ObjectEvent &E) {
      return E.Kind == Kind && E.At.Block == Block && E.At.Order >= Order;
    });
  };
  auto [It, New] = After.try_emplace({Root, Kind});
  std::vector<double> &Begin = It->second;
  if (New) {
    if (std::ranges::none_of(Found->second, [&](const ObjectEvent &E) {
          return E.Kind == Kind;
        }))
      return 0;
    std::vector<bool> Aims(Fact.Blocks.size()), Renewed(Fact.Blocks.size());
    for (uint32_t B = 0; B != Renewed.size(); ++B) {
      Renewed[B] = Births.renews(Root, B);
      Aims[B] = Follows(B, 0);
    }
    Begin = reachProbability(Facts, Fact, Aims, Renewed);
  } else if (Begin.empty())
    return 0;
  if (Follows(Point.Block, Point.Order))
    return 1;
  // An event earlier in the block makes its begin certain and says nothing of
  // what comes after.
  double Sum = 0;
  for (const EdgeFact &Edge : rowsOf(Facts.Edges, Fact.Edges))
    if (Edge.From == Point.Block && !Births.renews(Root, Edge.To))
      Sum += Edge.Probability * Begin[Edge.To];
  return Sum;
}

} // namespace kst
