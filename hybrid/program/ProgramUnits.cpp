// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/ProgramUnits.h"

#include <algorithm>
#include <set>

namespace kst {

ProgramUnits::Symbols ProgramUnits::symbolsOf(const TuFacts &Unit) {
  Symbols Out;
  for (const FunctionFact &Function : Unit.Functions)
    if (Function.Flags & FnOwn && !(Function.Flags & FnStatic))
      Out.Defined.push_back(Unit.Strings[Function.Key]);
  for (const VariableFact &Variable : Unit.Variables)
    Out.Defined.push_back(Unit.Strings[Variable.Key]);
  for (const CallFact &Call : Unit.Calls)
    if (Call.Kind == CallKind::Direct)
      Out.Named.push_back(Unit.Strings[Call.Callee]);
  for (const ValueFact &Value : Unit.Values)
    if (Value.Kind == ValueKind::Function || Value.Kind == ValueKind::Global)
      Out.Named.push_back(Unit.Strings[Value.A]);
  for (const TableFact &Entry : Unit.Tables)
    Out.Named.push_back(Unit.Strings[Entry.Function]);
  return Out;
}

ProgramUnits::ProgramUnits(const Program &Whole) : Whole(Whole) {
  for (uint32_t U = 0; U != Whole.unitCount(); ++U) {
    Units.push_back(symbolsOf(Whole.unit(U)));
    for (std::string_view Symbol : Units[U].Defined)
      Defining[Symbol].push_back(U);
  }
}

std::vector<bool> ProgramUnits::of(FunctionId Main) const {
  std::vector<bool> Taken(Units.size());
  std::vector<uint32_t> Open;
  std::set<std::string_view> Ambiguous;
  auto Take = [&](uint32_t U) {
    Taken[U] = true;
    Open.push_back(U);
  };
  Take(Whole.Functions[Main].Unit);
  for (;;) {
    while (!Open.empty()) {
      const uint32_t U = Open.back();
      Open.pop_back();
      for (std::string_view Symbol : Units[U].Named)
        if (auto It = Defining.find(Symbol); It != Defining.end()) {
          if (It->second.size() > 1)
            Ambiguous.insert(Symbol);
          else if (!Taken[It->second.front()])
            Take(It->second.front());
        }
    }
    // What nothing else decides.
    std::erase_if(Ambiguous, [&](std::string_view Symbol) {
      return std::ranges::any_of(Defining.at(Symbol),
                                 [&](uint32_t U) { return Taken[U]; });
    });
    if (Ambiguous.empty())
      return Taken;
    Take(*std::ranges::min_element(
        Defining.at(*Ambiguous.begin()), {},
        [&](uint32_t U) { return Units[U].Defined.size(); }));
  }
}

} // namespace kst
