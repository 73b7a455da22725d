// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/FieldReach.h"

namespace kst {

FieldReach::FieldReach(const Program &Whole, const std::string &Struct)
    : Whole(Whole), Known(Whole.Functions.size()),
      Handed(Whole.Functions.size()) {
  for (RecordId Id : Whole.recordsNamed(Struct))
    Records.insert(Id);
  for (FunctionId Function = 0; Function != Known.size(); ++Function)
    direct(Function);
}

const FieldReach::Direct &FieldReach::direct(FunctionId Function) {
  std::optional<Direct> &Seen = Known[Function];
  if (Seen)
    return *Seen;
  Seen.emplace();
  const LinkedFunction &Linked = Whole.Functions[Function];
  const FunctionFact &Fact = *Linked.Fact;
  const TuFacts &Unit = Whole.unit(Linked.Unit);
  auto Add = [&](ValueId Address, std::set<uint32_t> &To) {
    while (Address != None) {
      const ValueFact &Value = Unit.Values[Fact.Values.Begin + Address];
      if (Value.Kind == ValueKind::Field &&
          Records.contains(Whole.record(Linked.Unit, Value.B)))
        To.insert(Value.C);
      if (Value.Kind != ValueKind::Field && Value.Kind != ValueKind::Element)
        return;
      Address = Value.A;
    }
  };
  for (const AccessFact &Access : rowsOf(Unit.Accesses, Fact.Accesses))
    Add(Access.Address, Seen->Fields);
  for (const CallFact &Call : rowsOf(Unit.Calls, Fact.Calls)) {
    std::set<uint32_t> Arguments;
    for (ValueId Argument : rowsOf(Unit.ValueArgs, Call.Args))
      Add(Argument, Arguments);
    Seen->Fields.insert(Arguments.begin(), Arguments.end());
    if (Call.Kind != CallKind::Direct)
      continue;
    for (const PossibleCallee &Callee : Whole.callees(Function, Call)) {
      Seen->Callees.push_back(Callee.Function);
      Handed[Callee.Function].insert(Arguments.begin(), Arguments.end());
    }
  }
  return *Seen;
}

std::set<uint32_t> FieldReach::uses(FunctionId Function) {
  std::set<uint32_t> Fields = Handed[Function];
  std::vector<bool> Seen(Known.size());
  std::vector<FunctionId> Todo = {Function};
  Seen[Function] = true;
  while (!Todo.empty()) {
    const FunctionId Next = Todo.back();
    Todo.pop_back();
    const Direct &Here = direct(Next);
    Fields.insert(Here.Fields.begin(), Here.Fields.end());
    for (FunctionId Callee : Here.Callees)
      if (Callee < Seen.size() && !Seen[Callee]) {
        Seen[Callee] = true;
        Todo.push_back(Callee);
      }
  }
  return Fields;
}

} // namespace kst
