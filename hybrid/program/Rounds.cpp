// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/Rounds.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include <set>

namespace kst {

namespace {

class RoundFinder {
public:
  RoundFinder(const Program &Whole, const CodeFrequencies &Code)
      : Whole(Whole), Code(Code), InRounds(Whole.Functions.size()) {}

  std::vector<bool> find() {
    findStarted();
    if (!Open.empty())
      countCalls();
    while (!Open.empty()) {
      const FunctionId Id = Open.back();
      Open.pop_back();
      for (FunctionId Callee : calleesOutsideOfLoops(Id))
        if (--Elsewhere[Callee] == 0)
          add(Callee);
    }
    return std::move(InRounds);
  }

private:
  using Parameter = std::pair<FunctionId, uint32_t>;

  void add(FunctionId Id) {
    if (Id != None && !InRounds[Id]) {
      InRounds[Id] = true;
      Open.push_back(Id);
    }
  }

  const ValueFact &value(FunctionId In, ValueId Local) const {
    return Whole.unitOf(In)
        .Values[Whole.Functions[In].Fact->Values.Begin + Local];
  }

  void findStarted() {
    std::set<Parameter> Starting; ///< what a function starts that is given
    for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id)
      for (const CallFact &Call : callsOf(Id))
        if (Call.Kind == CallKind::Direct &&
            isA(NameKind::ThreadStart,
                Whole.calleeName(Whole.Functions[Id].Unit, Call)))
          for (uint32_t Arg = 0; Arg != Call.Args.size(); ++Arg)
            start(Id, Call, Arg, Starting);
    for (size_t Before = 0; Before != Starting.size();) {
      Before = Starting.size();
      for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id)
        for (const CallFact &Call : callsOf(Id))
          for (const PossibleCallee &Callee : Code.callees(Id, Call))
            for (auto It = Starting.lower_bound({Callee.Function, 0});
                 It != Starting.end() && It->first == Callee.Function; ++It)
              start(Id, Call, It->second, Starting);
    }
  }

  /// The functions that an argument of a call is.
  void start(FunctionId In, const CallFact &Call, uint32_t Arg,
             std::set<Parameter> &Starting) {
    if (Arg >= Call.Args.size())
      return;
    const uint32_t Unit = Whole.Functions[In].Unit;
    const ValueId Local = Whole.unit(Unit).ValueArgs[Call.Args.Begin + Arg];
    if (Local == None)
      return;
    const ValueFact &Given = value(In, Local);
    if (Given.Kind == ValueKind::Function)
      add(Whole.functionByKey(Unit, Whole.string(Unit, Given.A)));
    else if (Given.Kind == ValueKind::Param)
      Starting.insert({In, Given.A});
    else if (Given.Kind == ValueKind::Load)
      if (const ValueFact &From = value(In, Given.A);
          From.Kind == ValueKind::Field)
        for (FunctionId Stored :
             Whole.tableFunctions(Whole.record(Unit, From.B), From.C))
          add(Stored);
  }

  std::span<const CallFact> callsOf(FunctionId Id) const {
    return rowsOf(Whole.unitOf(Id).Calls, Whole.Functions[Id].Fact->Calls);
  }

  void countCalls() {
    Elsewhere.resize(Whole.Functions.size());
    for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id)
      for (const CallFact &Call : callsOf(Id))
        for (const PossibleCallee &Callee : Code.callees(Id, Call))
          ++Elsewhere[Callee.Function];
  }

  std::vector<FunctionId> calleesOutsideOfLoops(FunctionId Id) const {
    std::vector<FunctionId> Found;
    const TuFacts &Facts = Whole.unitOf(Id);
    const FunctionFact &Fact = *Whole.Functions[Id].Fact;
    for (const CallFact &Call : callsOf(Id))
      if (Facts.Blocks[Fact.Blocks.Begin + Call.Block].Loop == None)
        for (const PossibleCallee &Callee : Code.callees(Id, Call))
          Found.push_back(Callee.Function);
    return Found;
  }

  const Program &Whole;
  const CodeFrequencies &Code;
  std::vector<bool> InRounds;
  std::vector<FunctionId> Open;
  std::vector<uint32_t> Elsewhere; ///< calls, those from rounds taken off
};

} // namespace

std::vector<bool> functionsOfRounds(const Program &Whole,
                                    const CodeFrequencies &Code) {
  return RoundFinder(Whole, Code).find();
}

void weighRounds(const Program &Whole, CodeFrequencies &Code) {
  constexpr double OncePerRound = 1e-3; // a judgement
  const std::vector<bool> InRounds = functionsOfRounds(Whole, Code);
  for (FunctionId Id = 0; Id != InRounds.size(); ++Id) {
    const FunctionFact &Fact = *Whole.Functions[Id].Fact;
    if (!InRounds[Id] || Fact.Loops.size() == 0)
      continue;
    const TuFacts &Facts = Whole.unitOf(Id);
    std::vector<bool> Stays(Fact.Blocks.size());
    for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls))
      for (const PossibleCallee &Callee : Code.callees(Id, Call))
        Stays[Call.Block] = Stays[Call.Block] || InRounds[Callee.Function];
    for (uint32_t B = 0; B != Stays.size(); ++B)
      if (!Stays[B] && Facts.Blocks[Fact.Blocks.Begin + B].Loop == None)
        Code.setBlock(Id, B, Code.block(Id, B) * OncePerRound, false);
  }
}

} // namespace kst
