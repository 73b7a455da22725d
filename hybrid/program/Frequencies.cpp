// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/Frequencies.h"

#include "hybrid/program/CallGraph.h"
#include "hybrid/program/EntryPoints.h"
#include "hybrid/program/Rounds.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kst {

namespace {

/// Steps of the fixed-point iteration. A cycle whose gain is below
/// MaxCycleGain converges geometrically: 0.3^60 < 1e-31.
constexpr unsigned MaxSteps = 60;
/// Recursion is rarely deep in a kernel: calls back into the caller's own
/// cycle are scaled so that they add up to no more than this.
constexpr double MaxCycleGain = 0.3;
void dampCycles(CallGraph &Graph, const std::vector<uint32_t> &Component) {
  for (FunctionId Id = 0; Id != Graph.size(); ++Id) {
    double Inside = 0;
    for (const CallEdge &E : Graph[Id])
      if (Component[E.Callee] == Component[Id])
        Inside += E.Times;
    if (Inside <= MaxCycleGain)
      continue;
    for (CallEdge &E : Graph[Id])
      if (Component[E.Callee] == Component[Id])
        E.Times *= MaxCycleGain / Inside;
  }
}

/// The calls that happen, between components: callees have smaller numbers.
struct Reachability {
  std::vector<uint32_t> Component;            ///< of each function
  std::vector<uint32_t> Members;              ///< of each component
  std::vector<std::vector<uint32_t>> Callees; ///< of each, each once
};

Reachability reachability(const CallGraph &Graph) {
  CallGraph Happens(Graph.size());
  for (FunctionId Id = 0; Id != Graph.size(); ++Id)
    for (const CallEdge &E : Graph[Id])
      if (E.Times > 0)
        Happens[Id].push_back(E);
  Reachability Made{components(Happens), {}, {}};
  for (FunctionId Id = 0; Id != Graph.size(); ++Id) {
    const uint32_t Own = Made.Component[Id];
    if (Own >= Made.Members.size()) {
      Made.Members.resize(Own + 1);
      Made.Callees.resize(Own + 1);
    }
    ++Made.Members[Own];
    for (const CallEdge &E : Happens[Id])
      if (Made.Component[E.Callee] != Own)
        Made.Callees[Own].push_back(Made.Component[E.Callee]);
  }
  for (std::vector<uint32_t> &Of : Made.Callees) {
    std::ranges::sort(Of);
    Of.erase(std::unique(Of.begin(), Of.end()), Of.end());
  }
  return Made;
}

/// A way in that leads to much code is a main road: an entry weighs as much as
/// the number of functions that it can reach.
void weighByReach(const CallGraph &Graph, std::vector<double> &Entry) {
  const Reachability Ways = reachability(Graph);
  std::vector<FunctionId> Starts;
  for (FunctionId Start = 0; Start != Graph.size(); ++Start)
    if (Entry[Start] > 0)
      Starts.push_back(Start);
  // As many starts at once as a word has bits, callers before callees.
  constexpr size_t Width = 64;
  for (size_t First = 0; First < Starts.size(); First += Width) {
    const size_t Count = std::min(Width, Starts.size() - First);
    std::vector<uint64_t> From(Ways.Members.size());
    for (size_t I = 0; I != Count; ++I)
      From[Ways.Component[Starts[First + I]]] |= uint64_t(1) << I;
    uint32_t Reached[Width] = {};
    for (size_t C = From.size(); C-- != 0;) {
      for (uint64_t Rest = From[C]; Rest; Rest &= Rest - 1)
        Reached[std::countr_zero(Rest)] += Ways.Members[C];
      if (From[C])
        for (uint32_t Callee : Ways.Callees[C])
          From[Callee] |= From[C];
    }
    for (size_t I = 0; I != Count; ++I)
      Entry[Starts[First + I]] *= Reached[I];
  }
}

} // namespace

std::vector<double> propagate(CallGraph Graph, const std::vector<double> &Entry,
                              const std::vector<double> &Fixed) {
  std::vector<uint32_t> Component = components(Graph);
  dampCycles(Graph, Component);
  // Callers before callees; cycles settle over a few rounds.
  std::vector<FunctionId> Order(Graph.size());
  for (FunctionId Id = 0; Id != Order.size(); ++Id)
    Order[Id] = Id;
  std::ranges::stable_sort(Order, [&](FunctionId A, FunctionId B) {
    return Component[A] > Component[B];
  });
  CallGraph Callers(Graph.size());
  for (FunctionId Id = 0; Id != Graph.size(); ++Id)
    for (const CallEdge &E : Graph[Id])
      Callers[E.Callee].push_back({Id, E.Times});

  auto IsFixed = [&](FunctionId Id) {
    return !Fixed.empty() && Fixed[Id] >= 0;
  };
  std::vector<double> Total = Entry;
  for (FunctionId Id = 0; Id != Total.size(); ++Id)
    if (IsFixed(Id))
      Total[Id] = Fixed[Id];
  for (unsigned Step = 0; Step != MaxSteps; ++Step) {
    double Change = 0;
    for (FunctionId Id : Order) {
      if (IsFixed(Id))
        continue;
      double Sum = Entry[Id];
      for (const CallEdge &E : Callers[Id])
        Sum += Total[E.Callee] * E.Times;
      Change = std::max(Change, std::fabs(Sum - Total[Id]) / (Sum + 1e-12));
      Total[Id] = Sum;
    }
    if (Change < 1e-9)
      break;
  }
  return Total;
}

Estimate estimateFrequencies(const Program &Whole, const HotFunctions &Hot) {
  Estimate Made{{}, CodeFrequencies(Whole), {}};
  const ThreadRounds Rounds = threadRounds(Whole, Made.Code);
  Made.Often.Entry = entryFrequencies(Whole, Rounds, Hot);
  weighRounds(Whole, Rounds, Made.Code);
  CallGraph Graph = callGraph(Whole, Made.Code);
  if (Hot.empty())
    weighByReach(Graph, Made.Often.Entry);
  Made.Often.Total = propagate(std::move(Graph), Made.Often.Entry, {});
  return Made;
}

} // namespace kst
