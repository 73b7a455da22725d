// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/CallGraph.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include <algorithm>
#include <map>

namespace kst {

/// One pair of functions may multiply by this much at most; nested loops with
/// guessed trip counts would otherwise run away along a chain of calls.
static constexpr double MaxTimes = 64;
/// A call of what its name says is configuration, from elsewhere.
static constexpr double ColdCall = 0.05;

/// Per function: whether its name says that it configures.
static std::vector<bool> configuring(const Program &Whole) {
  std::vector<bool> Result;
  for (const LinkedFunction &Function : Whole.Functions)
    Result.push_back(isA(NameKind::ConfigurationFunction,
                         Whole.text(Function.Unit, Function.Fact->Name)));
  return Result;
}

CallGraph callGraph(const Program &Whole, const CodeFrequencies &Code) {
  CallGraph Graph(Whole.Functions.size());
  const std::vector<bool> Configures = configuring(Whole);
  for (FunctionId Id = 0; Id != Graph.size(); ++Id) {
    const TuFacts &Facts = Whole.unitOf(Id);
    const FunctionFact &Fact = *Whole.Functions[Id].Fact;
    std::map<FunctionId, double> Guessed, Known;
    for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls)) {
      bool Seen = Code.known(Id, Call.Block);
      for (const PossibleCallee &Callee : Code.callees(Id, Call))
        (Seen ? Known : Guessed)[Callee.Function] +=
            Code.calls(Id, Call.Block, Callee.Function) * Callee.Share;
    }
    for (auto [Callee, Often] : Guessed) {
      const bool Cold = !Configures[Id] && Configures[Callee];
      Known[Callee] += std::min(Often, MaxTimes) * (Cold ? ColdCall : 1);
    }
    for (auto [Callee, Often] : Known)
      Graph[Id].push_back({Callee, Often});
  }
  return Graph;
}

/// Tarjan's strongly connected components, without recursion. Component
/// numbers are in reverse topological order: callees first.
std::vector<uint32_t> components(const CallGraph &Graph) {
  uint32_t Count = Graph.size(), Next = 0, Found = 0;
  std::vector<uint32_t> Index(Count, None), Low(Count), Component(Count, None);
  std::vector<FunctionId> Stack;
  std::vector<std::pair<FunctionId, size_t>> Work;
  for (FunctionId Start = 0; Start != Count; ++Start) {
    if (Index[Start] != None)
      continue;
    Work.push_back({Start, 0});
    while (!Work.empty()) {
      FunctionId Node = Work.back().first;
      size_t &Edge = Work.back().second;
      if (Edge == 0) {
        Index[Node] = Low[Node] = Next++;
        Stack.push_back(Node);
      }
      if (Edge < Graph[Node].size()) {
        FunctionId Callee = Graph[Node][Edge++].Callee;
        if (Index[Callee] == None)
          Work.push_back({Callee, 0});
        else if (Component[Callee] == None)
          Low[Node] = std::min(Low[Node], Index[Callee]);
        continue;
      }
      if (Low[Node] == Index[Node]) {
        for (FunctionId Member = None; Member != Node;) {
          Member = Stack.back();
          Stack.pop_back();
          Component[Member] = Found;
        }
        ++Found;
      }
      Work.pop_back();
      if (!Work.empty()) {
        FunctionId Caller = Work.back().first;
        Low[Caller] = std::min(Low[Caller], Low[Node]);
      }
    }
  }
  return Component;
}

} // namespace kst
