// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/ObjectBirths.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include <algorithm>

namespace kst {

namespace {

/// So many of the functions behind a table must return a fresh object: one in
/// ten that keeps a list of its objects does not speak for the others.
constexpr double MostCallees = 0.75;

} // namespace

ObjectBirths::ObjectBirths(const Program &Whole, const CodeFrequencies &Code,
                           FunctionId Function, LinkValues &Pool,
                           ValueTranslator &Values,
                           const Earlier<LifetimeSummary> &Summaries)
    : Whole(Whole), Code(Code), Function(Function), Pool(Pool), Values(Values),
      Summaries(Summaries), Facts(Whole.unitOf(Function)),
      Fact(*Whole.Functions[Function].Fact) {}

LinkId ObjectBirths::root(LinkId Value) const {
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

bool ObjectBirths::isContainer(LinkId Value) const {
  for (LinkId Root = root(Value); Value != Root; Value = Pool[Value].A)
    if (Pool[Value].Kind == ValueKind::Container)
      return true;
  return false;
}

/// `per_cpu_ptr(q->parts, cpu)`: the address of q->parts.
LinkId ObjectBirths::perCpuPart(LinkId Value) const {
  LinkId Root = root(Value);
  if (Pool[Root].Kind != ValueKind::Load)
    return None;
  for (; Value != Root; Value = Pool[Value].A)
    if (Pool[Value].Kind == ValueKind::PerCpu)
      return Pool[Root].A;
  return None;
}

bool ObjectBirths::isSetByAddress(LinkId Value) const {
  return Pool[Value].Kind == ValueKind::Load &&
         Pool[Pool[Value].A].Kind == ValueKind::Object &&
         Pool[Pool[Value].A].C == Function;
}

Birth ObjectBirths::birth(LinkId Root) {
  // A variable that is set from itself adds nothing.
  auto [It, New] = Births.try_emplace(Root, Birth::Shared);
  if (!New)
    return It->second;
  Birth How = birthOf(Root);
  return Births[Root] = How;
}

Birth ObjectBirths::birthOf(LinkId Root) {
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
    if (isSetByAddress(Root))
      return birthByAddress(Value.A);
    return isPooled(Root) ? Birth::Pool : Birth::Shared;
  default:
    return Birth::Shared;
  }
}

/// Loaded from memory of the running CPU: an entry of a free list or array.
bool ObjectBirths::isPooled(LinkId Value) const {
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

bool ObjectBirths::makes(const CallFact &Call, uint32_t Arg) const {
  std::vector<PossibleCallee> Callees = Code.callees(Function, Call);
  return Arg < LifetimeSummary::MaxParams && !Callees.empty() &&
         std::ranges::all_of(
             Callees,
             [&](const PossibleCallee &Callee) {
               return Summaries[Callee.Function].Makes >> Arg & 1;
             });
}

/// `if (make(&p))`: all that get the address make an object.
Birth ObjectBirths::birthByAddress(LinkId Variable) {
  for (const StoreFact &Store : rowsOf(Facts.Stores, Fact.Stores))
    if (Values.translate(Store.Stored) == Variable)
      return Birth::Shared;
  Birth Result = Birth::Shared;
  for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls)) {
    for (uint32_t Arg = 0; Arg != Call.Args.size(); ++Arg) {
      if (Values.argument(Call, Arg) != Variable)
        continue;
      if (!makes(Call, Arg))
        return Birth::Shared;
      Result = Birth::Fresh;
    }
  }
  return Result;
}

std::vector<LinkId> ObjectBirths::objects(Range Of) {
  std::vector<LinkId> Roots;
  for (ValueId Id : rowsOf(Facts.ValueArgs, Of)) {
    const ValueFact &Value = Facts.Values[Fact.Values.Begin + Id];
    if (Value.Kind == ValueKind::Call &&
        isA(NameKind::ErrorPointer,
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
Birth ObjectBirths::common(const std::vector<LinkId> &Roots, LinkId Except) {
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

Birth ObjectBirths::birthOfCall(const CallFact &Call) const {
  std::string_view Name =
      Whole.calleeName(Whole.Functions[Function].Unit, Call);
  std::span<const NameUse> Roles = lifetimeRoles(Name);
  for (const NameUse &Role : Roles)
    if (Role.Kind == NameKind::Allocates ||
        Role.Kind == NameKind::AllocatesCleared)
      return Birth::Fresh;
  if (!Roles.empty())
    return Birth::Shared;
  std::vector<PossibleCallee> Callees = Code.callees(Function, Call);
  if (Callees.empty())
    return isA(NameKind::AllocatingWord, Name) ? Birth::Fresh : Birth::Shared;
  double Fresh = 0, Pooled = 0;
  for (const PossibleCallee &Callee : Callees) {
    Fresh += Callee.Share * Summaries[Callee.Function].ReturnsFresh;
    Pooled += Callee.Share * Summaries[Callee.Function].ReturnsPooled;
  }
  return Fresh >= MostCallees    ? Birth::Fresh
         : Pooled >= MostCallees ? Birth::Pool
                                 : Birth::Shared;
}

const std::vector<CodePoint> &ObjectBirths::births(LinkId Root) {
  auto [It, New] = BirthPoints.try_emplace(Root);
  if (!New)
    return It->second;
  std::vector<CodePoint> Points;
  const LinkValue Value = Pool[Root];
  if (Value.Kind == ValueKind::Call && Value.C == Function) {
    const CallFact &Call = Facts.Calls[Fact.Calls.Begin + Value.A];
    Points.push_back({Call.Block, Call.Order});
  }
  if (isSetByAddress(Root))
    for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls))
      for (uint32_t Arg = 0; Arg != Call.Args.size(); ++Arg)
        if (Values.argument(Call, Arg) == Value.A)
          Points.push_back({Call.Block, Call.Order});
  for (LinkId Option : std::vector<LinkId>(Pool.alternatives(Root)))
    for (CodePoint Point : births(root(Option)))
      Points.push_back(Point);
  return BirthPoints[Root] = std::move(Points);
}

/// After <= order of the birth < Before.
bool ObjectBirths::bornBetween(LinkId Root, uint32_t Block, uint32_t After,
                               uint32_t Before) {
  return std::ranges::any_of(births(Root), [&](CodePoint Point) {
    return Point.Block == Block && Point.Order >= After && Point.Order < Before;
  });
}

bool ObjectBirths::isHeader(uint32_t Block, uint32_t Loop) const {
  auto Inside = [&](uint32_t B) {
    for (uint32_t L = Facts.Blocks[Fact.Blocks.Begin + B].Loop; L != None;
         L = Facts.Loops[Fact.Loops.Begin + L].Parent)
      if (L == Loop)
        return true;
    return false;
  };
  if (!Inside(Block))
    return false;
  for (const EdgeFact &Edge : rowsOf(Facts.Edges, Fact.Edges))
    if (Edge.To == Block && !Inside(Edge.From))
      return true;
  return false;
}

bool ObjectBirths::renews(LinkId Root, uint32_t Block) const {
  const ValueTraits &Traits = Pool.traits(Root);
  return Traits.Owner == Function && Traits.Loop != None &&
         isHeader(Block, Traits.Loop);
}

} // namespace kst
