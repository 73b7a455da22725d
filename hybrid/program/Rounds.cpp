// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/Rounds.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include <algorithm>
#include <map>
#include <set>

namespace kst {

namespace {

std::span<const CallFact> callsOf(const Program &Whole, FunctionId Id) {
  return rowsOf(Whole.unitOf(Id).Calls, Whole.Functions[Id].Fact->Calls);
}

bool callsA(NameKind Kind, const Program &Whole, FunctionId Id,
            const CallFact &Call) {
  return Call.Kind == CallKind::Direct &&
         isA(Kind, Whole.calleeName(Whole.Functions[Id].Unit, Call));
}

/// Which calls lead to one that waits for events.
class WaitingCalls {
public:
  WaitingCalls(const Program &Whole, const CodeFrequencies &Code)
      : Whole(Whole), Code(Code), Waiting(Whole.Functions.size()) {
    for (unsigned Depth = 0; Depth != WaitDepth; ++Depth) {
      std::vector<bool> Next = Waiting;
      for (FunctionId Id = 0; Id != Next.size(); ++Id)
        for (const CallFact &Call : callsOf(Whole, Id))
          Next[Id] = Next[Id] || waits(Id, Call);
      Waiting = std::move(Next);
    }
  }

  bool waits(FunctionId In, const CallFact &Call) const {
    return callsA(NameKind::Wait, Whole, In, Call) ||
           std::ranges::any_of(Code.callees(In, Call),
                               [&](const PossibleCallee &Callee) {
                                 return Waiting[Callee.Function];
                               });
  }

  /// One entry for each loop, those around it, too.
  std::vector<bool> loopsOf(FunctionId Id) const {
    const TuFacts &Facts = Whole.unitOf(Id);
    const FunctionFact &Fact = *Whole.Functions[Id].Fact;
    std::vector<bool> Found(Fact.Loops.size());
    for (const CallFact &Call : callsOf(Whole, Id))
      if (waits(Id, Call))
        for (uint32_t L = Facts.Blocks[Fact.Blocks.Begin + Call.Block].Loop;
             L != None; L = Facts.Loops[Fact.Loops.Begin + L].Parent)
          Found[L] = true;
    return Found;
  }

private:
  const Program &Whole;
  const CodeFrequencies &Code;
  std::vector<bool> Waiting; ///< by function: a call in it does
};

class RoundFinder {
public:
  RoundFinder(const Program &Whole, const CodeFrequencies &Code)
      : Whole(Whole), Code(Code) {}

  ThreadRounds find() {
    ThreadRounds Found;
    Found.Functions.resize(Whole.Functions.size());
    findStarted();
    if (Started.empty())
      return Found;
    const std::vector<FunctionId> Mains = Whole.functionsNamed("main");
    Found.OfProgram = !Mains.empty();
    countCalls();
    const WaitingCalls Waiting(Whole, Code);
    auto Add = [&](FunctionId First, const std::set<FunctionId> &Once,
                   bool OnlyIfItWaits) {
      const std::set<FunctionId> Tree = runBy(First, Once);
      const bool Waits = std::ranges::any_of(Tree, [&](FunctionId Id) {
        const std::vector<bool> Loops = Waiting.loopsOf(Id);
        return std::ranges::find(Loops, true) != Loops.end();
      });
      if (Waits || !OnlyIfItWaits)
        for (FunctionId Id : Tree) {
          Found.Functions[Id] = true;
          if (Waits)
            Found.Waiting.emplace(Id, Waiting.loopsOf(Id));
        }
    };
    const std::set<FunctionId> Once = runOnceBy(Started);
    for (FunctionId Id : Started)
      Add(Id, Once, false);
    for (FunctionId Id : Mains) {
      std::set<FunctionId> All = Started;
      All.insert(Id);
      Add(Id, runOnceBy(All), true);
    }
    return Found;
  }

private:
  using Parameter = std::pair<FunctionId, uint32_t>;

  void add(FunctionId Id) {
    if (Id != None)
      Started.insert(Id);
  }

  /// The functions and what they alone call, outside of loops.
  std::set<FunctionId> runOnceBy(std::set<FunctionId> Tree) const {
    std::vector<FunctionId> Open(Tree.begin(), Tree.end());
    std::map<FunctionId, uint32_t> Calls; ///< from the tree
    while (!Open.empty()) {
      const FunctionId Id = Open.back();
      Open.pop_back();
      for (FunctionId Callee : calleesOutsideOfLoops(Id))
        if (++Calls[Callee] == CallsOf[Callee] && Tree.insert(Callee).second)
          Open.push_back(Callee);
    }
    return Tree;
  }

  /// Those of `Once` that a thread runs that begins with First.
  std::set<FunctionId> runBy(FunctionId First,
                             const std::set<FunctionId> &Once) const {
    std::set<FunctionId> Tree{First};
    std::vector<FunctionId> Open{First};
    while (!Open.empty()) {
      const FunctionId Id = Open.back();
      Open.pop_back();
      for (FunctionId Callee : calleesOutsideOfLoops(Id))
        if (Once.count(Callee) && Tree.insert(Callee).second)
          Open.push_back(Callee);
    }
    return Tree;
  }

  const ValueFact &value(FunctionId In, ValueId Local) const {
    return Whole.unitOf(In)
        .Values[Whole.Functions[In].Fact->Values.Begin + Local];
  }

  void findStarted() {
    std::set<Parameter> Starting; ///< what a function starts that is given
    for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id)
      for (const CallFact &Call : callsOf(Whole, Id))
        if (callsA(NameKind::ThreadStart, Whole, Id, Call))
          for (uint32_t Arg = 0; Arg != Call.Args.size(); ++Arg)
            start(Id, Call, Arg, Starting);
    for (size_t Before = 0; Before != Starting.size();) {
      Before = Starting.size();
      for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id)
        for (const CallFact &Call : callsOf(Whole, Id))
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

  void countCalls() {
    CallsOf.resize(Whole.Functions.size());
    for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id)
      for (const CallFact &Call : callsOf(Whole, Id))
        for (const PossibleCallee &Callee : Code.callees(Id, Call))
          ++CallsOf[Callee.Function];
  }

  std::vector<FunctionId> calleesOutsideOfLoops(FunctionId Id) const {
    std::vector<FunctionId> Found;
    const TuFacts &Facts = Whole.unitOf(Id);
    const FunctionFact &Fact = *Whole.Functions[Id].Fact;
    for (const CallFact &Call : callsOf(Whole, Id))
      if (Facts.Blocks[Fact.Blocks.Begin + Call.Block].Loop == None)
        for (const PossibleCallee &Callee : Code.callees(Id, Call))
          Found.push_back(Callee.Function);
    return Found;
  }

  const Program &Whole;
  const CodeFrequencies &Code;
  std::set<FunctionId> Started;
  std::vector<uint32_t> CallsOf; ///< in the program, by callee
};

} // namespace

ThreadRounds threadRounds(const Program &Whole, const CodeFrequencies &Code) {
  return RoundFinder(Whole, Code).find();
}

void weighRounds(const Program &Whole, const ThreadRounds &Rounds,
                 CodeFrequencies &Code) {
  if (!Rounds.any())
    return;
  Code.setStayedIn(Rounds.Functions);
  for (FunctionId Id = 0; Id != Rounds.Functions.size(); ++Id) {
    if (!Rounds.Functions[Id])
      continue;
    const TuFacts &Facts = Whole.unitOf(Id);
    const FunctionFact &Fact = *Whole.Functions[Id].Fact;
    std::vector<bool> Round(Fact.Loops.size(), true);
    if (auto It = Rounds.Waiting.find(Id); It != Rounds.Waiting.end())
      Round = It->second;
    auto InRound = [&](uint32_t Loop) {
      while (Loop != None && !Round[Loop])
        Loop = Facts.Loops[Fact.Loops.Begin + Loop].Parent;
      return Loop != None;
    };
    for (uint32_t L = 0; L != Round.size(); ++L)
      if (!InRound(L))
        Code.setLoop(Id, L, Code.loopEntry(Id, L) * OncePerRound,
                     Code.loopHeader(Id, L) * OncePerRound);
    for (uint32_t B = 0; B != Fact.Blocks.size(); ++B)
      if (!InRound(Facts.Blocks[Fact.Blocks.Begin + B].Loop))
        Code.setBlock(Id, B, Code.block(Id, B) * OncePerRound, false);
  }
}

} // namespace kst
