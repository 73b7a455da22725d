// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/ValueTranslator.h"

#include <algorithm>

namespace kst {

/// Chains of loads longer than this name nothing that a person would call
/// "the same instance"; they become unknown.
static constexpr uint32_t MaxDepth = 12;

ValueTranslator::ValueTranslator(const Program &Whole, FunctionId Function,
                                 LinkValues &Pool,
                                 const Earlier<LinkId> &Returns)
    : Whole(Whole), Function(Function), Facts(Whole.unitOf(Function)),
      Fact(*Whole.Functions[Function].Fact), Pool(Pool), Returns(Returns),
      Known(Fact.Values.size(), None), Active(Fact.Values.size(), false) {
  // Local objects first: `env.dst_rq = rq` tells what `&env` carries. A member
  // set twice to different values stays a load from the object.
  std::map<LinkId, LinkId> Seen;
  for (const StoreFact &Store : rowsOf(Facts.Stores, Fact.Stores)) {
    LinkId Place = translate(Store.Address);
    if (Pool[Pool.root(Place)].Kind != ValueKind::Object)
      continue;
    LinkId Value = translate(Store.Stored);
    // The head of an empty list points to itself: what is in the list later
    // is something else.
    if (Pool.root(Value) == Pool.root(Place))
      Value = None;
    auto [It, New] = Seen.try_emplace(Place, Value);
    if (!New && It->second != Value)
      It->second = None;
  }
  for (auto [Place, Value] : Seen)
    if (Value != None)
      Stored.emplace(Place, Value);
  Known.assign(Known.size(), None);
  Named.clear();
}

LinkId ValueTranslator::bounded(LinkId Value) {
  return Pool.traits(Value).Depth <= MaxDepth ? Value : unknown(Value);
}

LinkId ValueTranslator::containerOf(LinkId Member, RecordId Record,
                                    uint32_t Number) {
  LinkId Value = Pool.container(Member, Record, Number);
  // A variable is not part of anything.
  return Pool[Value].Kind == ValueKind::Container && Pool.isVariable(Member)
             ? unknown(Value)
             : bounded(Value);
}

LinkId ValueTranslator::unknown(LinkId Value) {
  ValueTraits Of = Pool.traits(Value);
  bool Own = Of.Owner == Function;
  ValueTraits Cut;
  Cut.Opaque = true;
  Cut.Owner = Function;
  Cut.Loop = Own ? Of.Loop : None;
  // B tells these apart from the unknowns of the facts.
  return Pool.make({ValueKind::Unknown, Value, 1, Function}, Cut);
}

LinkId ValueTranslator::loadFrom(LinkId Address) {
  if (auto It = Stored.find(Address); It != Stored.end())
    return It->second;
  return bounded(Pool.load(Address));
}

LinkId ValueTranslator::translate(ValueId Local) {
  if (Local == None)
    return None;
  if (Known[Local] != None)
    return Known[Local];
  // `p = p->next`: the variable stands for itself. The traits given here are
  // the ones that stay, so the loop must be right already.
  if (Active[Local]) {
    const ValueFact &Self = Facts.Values[Fact.Values.Begin + Local];
    return Pool.opaque(ValueKind::Local, Local, Function,
                       Self.Kind == ValueKind::Local ? Self.B : None);
  }
  Active[Local] = true;
  LinkId Value = compute(Local);
  Active[Local] = false;
  Known[Local] = Value;
  Named.insert(Value);
  return Value;
}

LinkId ValueTranslator::alternatives(ValueId Local, const ValueFact &Value) {
  std::vector<LinkId> Options;
  for (ValueId Id : rowsOf(Facts.ValueArgs, Value.Args)) {
    LinkId Option = translate(Id);
    if (Pool[Option].Kind != ValueKind::Const &&
        std::ranges::find(Options, Option) == Options.end())
      Options.push_back(Option);
  }
  if (Value.Kind == ValueKind::Choice && Options.size() == 1)
    return Options.front();
  uint32_t Loop = Value.Kind == ValueKind::Local ? Value.B : None;
  LinkId Id = Pool.opaque(Value.Kind, Local, Function, Loop);
  Pool.setAlternatives(Id, std::move(Options));
  return Id;
}

LinkId ValueTranslator::computeCall(uint32_t Index) {
  const CallFact &Call = Facts.Calls[Fact.Calls.Begin + Index];
  std::vector<PossibleCallee> Callees = Whole.callees(Function, Call);
  if (Callees.size() == 1 && Returns[Callees[0].Function] != None) {
    std::unordered_map<LinkId, LinkId> Memo;
    LinkId Value = substitute(Returns[Callees[0].Function], Call, Memo);
    if (Value != None)
      return Value;
  }
  uint32_t Loop = Facts.Blocks[Fact.Blocks.Begin + Call.Block].Loop;
  return Pool.opaque(ValueKind::Call, Index, Function, Loop);
}

LinkId ValueTranslator::result(const CallFact &Call) {
  return computeCall(&Call - &Facts.Calls[Fact.Calls.Begin]);
}

LinkId ValueTranslator::compute(ValueId Local) {
  const ValueFact &Value = Facts.Values[Fact.Values.Begin + Local];
  uint32_t Unit = Whole.Functions[Function].Unit;
  switch (Value.Kind) {
  case ValueKind::Param:
    return Pool.leaf(ValueKind::Param, Value.A);
  case ValueKind::Global:
    return Pool.leaf(ValueKind::Global, Whole.string(Unit, Value.A), Value.B);
  case ValueKind::Function:
    return Pool.leaf(ValueKind::Function, Whole.string(Unit, Value.A));
  case ValueKind::Const:
    return Pool.leaf(ValueKind::Const, Value.A, Value.B);
  case ValueKind::ThisCpu:
  case ValueKind::Current:
    return Pool.leaf(Value.Kind);
  case ValueKind::Field:
    return bounded(
        Pool.field(translate(Value.A), Whole.record(Unit, Value.B), Value.C));
  case ValueKind::Element:
    return bounded(
        Pool.element(translate(Value.A), translate(Value.B), Value.C));
  case ValueKind::Load:
    return loadFrom(translate(Value.A));
  case ValueKind::PerCpu:
    return bounded(Pool.perCpu(translate(Value.A), translate(Value.B)));
  case ValueKind::Container:
    return containerOf(translate(Value.A), Whole.record(Unit, Value.B),
                       Value.C);
  case ValueKind::Call:
    return computeCall(Value.A);
  case ValueKind::Local:
  case ValueKind::Choice:
    return alternatives(Local, Value);
  case ValueKind::Object:
    return Pool.opaque(ValueKind::Object, Value.A, Function, None);
  case ValueKind::Unknown:
    break;
  }
  return Pool.opaque(ValueKind::Unknown, Local, Function, None);
}

LinkId ValueTranslator::argument(const CallFact &Call, uint32_t Index) {
  if (Index >= Call.Args.size())
    return None;
  return translate(Facts.ValueArgs[Call.Args.Begin + Index]);
}

LinkId ValueTranslator::substitute(LinkId Value, const CallFact &Call,
                                   std::unordered_map<LinkId, LinkId> &Memo) {
  const ValueTraits Traits = Pool.traits(Value);
  if (Traits.Opaque)
    return None;
  if (!Traits.HasParam)
    return Value;
  if (auto It = Memo.find(Value); It != Memo.end())
    return It->second;
  const LinkValue Node = Pool[Value];
  auto Inner = [&](LinkId Id) { return substitute(Id, Call, Memo); };
  LinkId Result = None;
  if (Node.Kind == ValueKind::Param) {
    Result = argument(Call, Node.A);
  } else if (LinkId A = Inner(Node.A); A != None) {
    switch (Node.Kind) {
    case ValueKind::Field:
      Result = Pool.field(A, Node.B, Node.C);
      break;
    case ValueKind::Container:
      Result = containerOf(A, Node.B, Node.C);
      break;
    case ValueKind::Load:
      Result = loadFrom(A);
      break;
    case ValueKind::Element:
      if (LinkId B = Inner(Node.B); B != None)
        Result = Pool.element(A, B, Node.C);
      break;
    case ValueKind::PerCpu:
      if (LinkId B = Inner(Node.B); B != None)
        Result = Pool.perCpu(A, B);
      break;
    default:
      break;
    }
  }
  if (Result != None)
    Result = bounded(Result);
  return Memo[Value] = Result;
}

LinkId ValueTranslator::returned() {
  LinkId Only = None;
  for (ValueId Id : rowsOf(Facts.ValueArgs, Fact.Returns)) {
    LinkId Value = translate(Id);
    if (Only != None && Only != Value)
      return None;
    Only = Value;
  }
  if (Only == None || Pool.traits(Only).Opaque)
    return None;
  return Only;
}

} // namespace kst
