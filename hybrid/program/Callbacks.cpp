// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/Callbacks.h"

#include <map>
#include <set>

namespace kst {

namespace {

using Parameter = std::pair<FunctionId, uint32_t>;

class CallbackFlow {
public:
  explicit CallbackFlow(const Program &Whole) : Whole(Whole) {
    for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id)
      addCalls(Id);
    spread();
  }

  std::vector<StoredCallback> stored() const {
    std::set<StoredCallback> Found;
    for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id) {
      const TuFacts &Facts = Whole.unitOf(Id);
      const FunctionFact &Fact = *Whole.Functions[Id].Fact;
      for (const StoreFact &Store : rowsOf(Facts.Stores, Fact.Stores)) {
        const ValueFact &Place = value(Id, Store.Address);
        const ValueFact &Value = value(Id, Store.Stored);
        if (Place.Kind != ValueKind::Field || Value.Kind != ValueKind::Param)
          continue;
        auto It = Holds.find({Id, Value.A});
        if (It == Holds.end())
          continue;
        RecordId Record = Whole.record(Whole.Functions[Id].Unit, Place.B);
        for (FunctionId Function : It->second)
          Found.insert({Record, Place.C, Function});
      }
    }
    return {Found.begin(), Found.end()};
  }

private:
  const ValueFact &value(FunctionId Id, uint32_t Local) const {
    return Whole.unitOf(Id)
        .Values[Whole.Functions[Id].Fact->Values.Begin + Local];
  }

  void addCalls(FunctionId Id) {
    const TuFacts &Facts = Whole.unitOf(Id);
    const FunctionFact &Fact = *Whole.Functions[Id].Fact;
    uint32_t Unit = Whole.Functions[Id].Unit;
    for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls)) {
      if (Call.Kind != CallKind::Direct)
        continue;
      FunctionId Callee =
          Whole.functionByKey(Unit, Whole.string(Unit, Call.Callee));
      if (Callee == None)
        continue;
      for (uint32_t Arg = 0; Arg != Call.Args.size(); ++Arg) {
        uint32_t Local = Facts.ValueArgs[Call.Args.Begin + Arg];
        if (Local == None)
          continue;
        const ValueFact &Value = value(Id, Local);
        if (Value.Kind == ValueKind::Param)
          Flows.insert({{Id, Value.A}, {Callee, Arg}});
        if (Value.Kind != ValueKind::Function)
          continue;
        FunctionId Function =
            Whole.functionByKey(Unit, Whole.string(Unit, Value.A));
        if (Function != None)
          Holds[{Callee, Arg}].insert(Function);
      }
    }
  }

  void spread() {
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (const auto &[From, To] : Flows) {
        auto It = Holds.find(From);
        if (It == Holds.end() || From == To)
          continue;
        std::set<FunctionId> &Into = Holds[To];
        size_t Before = Into.size();
        Into.insert(It->second.begin(), It->second.end());
        Changed |= Into.size() != Before;
      }
    }
  }

  const Program &Whole;
  std::set<std::pair<Parameter, Parameter>> Flows;
  std::map<Parameter, std::set<FunctionId>> Holds;
};

} // namespace

std::vector<StoredCallback> storedCallbacks(const Program &Whole) {
  return CallbackFlow(Whole).stored();
}

} // namespace kst
