// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/FlowGraph.h"

#include <algorithm>
#include <numeric>

using namespace kst::counters;

uint32_t FlowGraph::addNode() {
  Parent.push_back(Parent.size());
  return Parent.size() - 1;
}

static uint32_t find(std::vector<uint32_t> &Parent, uint32_t Node) {
  while (Parent[Node] != Node)
    Node = Parent[Node] = Parent[Parent[Node]];
  return Node;
}

/// False: they were one already.
static bool unite(std::vector<uint32_t> &Parent, uint32_t A, uint32_t B) {
  A = find(Parent, A);
  B = find(Parent, B);
  Parent[A] = B;
  return A != B;
}

void FlowGraph::join(uint32_t A, uint32_t B) { unite(Parent, A, B); }

uint32_t FlowGraph::addMarked(uint32_t From, uint32_t To, uint64_t Frequency) {
  Edges.push_back({From, To, Frequency, true});
  return Edges.size() - 1;
}

uint32_t FlowGraph::addOptional(uint32_t From, uint32_t To,
                                uint64_t Frequency) {
  Edges.push_back({From, To, Frequency, false});
  return Edges.size() - 1;
}

/// Which edges are in question, and which of those have counters. Marked ones
/// always are.
struct FlowGraph::Choice {
  std::vector<bool> Open, Counted;
  uint64_t Cost; ///< sum of the counters' frequencies
};

/// The best counters where these edges are in question. Order: of the edges,
/// into the forest.
FlowGraph::Choice FlowGraph::choose(std::vector<bool> Open,
                                    const std::vector<uint32_t> &Order) {
  Choice Result{std::move(Open), std::vector<bool>(Edges.size()), 0};
  std::vector<uint32_t> All = Parent;
  for (uint32_t I = 0; I != Edges.size(); ++I)
    if (!Result.Open[I])
      unite(All, Edges[I].From, Edges[I].To);
  std::vector<uint32_t> Unasked = All; // without the marked edges
  for (uint32_t I : Order) {
    if (!Result.Open[I])
      continue;
    if (!unite(All, Edges[I].From, Edges[I].To))
      Result.Counted[I] = true;
    else if (!Edges[I].Marked)
      unite(Unasked, Edges[I].From, Edges[I].To);
  }
  for (uint32_t I = 0; I != Edges.size(); ++I) {
    if (!Result.Counted[I])
      continue;
    // Is its flow in the sum of a marked edge?
    if (!Edges[I].Marked &&
        find(Unasked, Edges[I].From) == find(Unasked, Edges[I].To))
      Result.Open[I] = Result.Counted[I] = false;
    else
      Result.Cost += Edges[I].Frequency;
  }
  return Result;
}

FlowGraph::Choice FlowGraph::search() {
  /// Edges looked at in all, so that a function of thousands of blocks does
  /// not take minutes.
  constexpr size_t Most = 20'000'000;
  std::vector<uint32_t> Order(Edges.size()), Optional;
  std::vector<bool> Marked(Edges.size());
  std::iota(Order.begin(), Order.end(), 0);
  for (uint32_t I : Order)
    if (!(Marked[I] = Edges[I].Marked))
      Optional.push_back(I);
  std::ranges::stable_sort(Order, [&](uint32_t A, uint32_t B) {
    if (Edges[A].Frequency != Edges[B].Frequency)
      return Edges[A].Frequency > Edges[B].Frequency;
    return Edges[A].Marked < Edges[B].Marked;
  });
  std::ranges::stable_sort(Optional, [&](uint32_t A, uint32_t B) {
    return Edges[A].Frequency < Edges[B].Frequency;
  });
  size_t Left = Most;
  auto Try = [&](Choice &Best, uint32_t Edge, bool Open) {
    if (Left < Edges.size() || Best.Open[Edge] == Open)
      return;
    Left -= Edges.size();
    std::vector<bool> Changed = Best.Open;
    Changed[Edge] = Open;
    Choice Other = choose(std::move(Changed), Order);
    if (Other.Cost < Best.Cost)
      Best = std::move(Other);
  };
  Choice Few = choose(Marked, Order);
  if (Optional.empty())
    return Few;
  Choice Many = choose(std::vector<bool>(Edges.size(), true), Order);
  for (auto I = Optional.rbegin(); I != Optional.rend(); ++I)
    if (Many.Counted[*I])
      Try(Many, *I, false);
  for (uint32_t I : Optional)
    if (Edges[I].Frequency < Few.Cost)
      Try(Few, I, true);
  return Many.Cost < Few.Cost ? Many : Few;
}

std::vector<std::vector<FlowGraph::Term>> FlowGraph::solve() {
  const Choice Best = search();
  for (uint32_t I = 0; I != Edges.size(); ++I)
    if (!Best.Open[I])
      join(Edges[I].From, Edges[I].To);
  for (Edge &E : Edges) {
    E.From = find(Parent, E.From);
    E.To = find(Parent, E.To);
  }
  std::vector<std::vector<uint32_t>> Tree(Parent.size());
  for (uint32_t I = 0; I != Edges.size(); ++I)
    if (Best.Open[I] && !Best.Counted[I]) {
      Tree[Edges[I].From].push_back(I);
      Tree[Edges[I].To].push_back(I);
    }

  // Roots, depths and the edge towards the root.
  constexpr uint32_t None = ~0u;
  std::vector<uint32_t> Up(Parent.size(), None), Depth(Parent.size(), None);
  std::vector<uint32_t> Stack;
  for (uint32_t Root = 0; Root != Parent.size(); ++Root) {
    if (Depth[Root] != None)
      continue;
    Depth[Root] = 0;
    Stack.push_back(Root);
    while (!Stack.empty()) {
      uint32_t Node = Stack.back();
      Stack.pop_back();
      for (uint32_t I : Tree[Node]) {
        uint32_t Other = Edges[I].From == Node ? Edges[I].To : Edges[I].From;
        if (Depth[Other] != None)
          continue;
        Depth[Other] = Depth[Node] + 1;
        Up[Other] = I;
        Stack.push_back(Other);
      }
    }
  }

  // Each counted edge runs once around its cycle: along itself from From to
  // To, then in the forest from To back to From.
  std::vector<std::vector<Term>> Terms(Edges.size());
  for (uint32_t I = 0; I != Edges.size(); ++I) {
    if (!Best.Counted[I])
      continue;
    Terms[I].push_back({I, 1});
    uint32_t Back = Edges[I].To, Front = Edges[I].From;
    while (Back != Front) {
      bool AtBack = Depth[Back] >= Depth[Front];
      uint32_t &Node = AtBack ? Back : Front;
      const Edge &E = Edges[Up[Node]];
      // From To the walk goes up; to From it comes down.
      bool Forward = AtBack ? E.From == Node : E.To == Node;
      if (E.Marked)
        Terms[Up[Node]].push_back({I, Forward ? 1 : -1});
      Node = E.From == Node ? E.To : E.From;
    }
  }
  return Terms;
}
