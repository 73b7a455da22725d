// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/FlowGraph.h"

#include <algorithm>
#include <numeric>

using namespace kst::counters;

uint32_t FlowGraph::addNode() {
  Parent.push_back(Parent.size());
  return Parent.size() - 1;
}

uint32_t FlowGraph::find(uint32_t Node) {
  while (Parent[Node] != Node)
    Node = Parent[Node] = Parent[Parent[Node]];
  return Node;
}

void FlowGraph::join(uint32_t A, uint32_t B) { Parent[find(A)] = find(B); }

uint32_t FlowGraph::addMarked(uint32_t From, uint32_t To, uint64_t Frequency) {
  Edges.push_back({From, To, Frequency});
  return Edges.size() - 1;
}

std::vector<std::vector<FlowGraph::Term>> FlowGraph::solve() {
  for (Marked &E : Edges)
    E = {find(E.From), find(E.To), E.Frequency};
  std::vector<uint32_t> Order(Edges.size());
  std::iota(Order.begin(), Order.end(), 0);
  std::stable_sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) {
    return Edges[A].Frequency > Edges[B].Frequency;
  });

  // The forest; the union-find goes on over the joined nodes.
  std::vector<std::vector<uint32_t>> Tree(Parent.size());
  std::vector<bool> Counted(Edges.size());
  for (uint32_t I : Order) {
    const Marked &E = Edges[I];
    if (find(E.From) == find(E.To)) {
      Counted[I] = true;
      continue;
    }
    join(E.From, E.To);
    Tree[E.From].push_back(I);
    Tree[E.To].push_back(I);
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
    if (!Counted[I])
      continue;
    Terms[I].push_back({I, 1});
    uint32_t Back = Edges[I].To, Front = Edges[I].From;
    while (Back != Front) {
      bool AtBack = Depth[Back] >= Depth[Front];
      uint32_t &Node = AtBack ? Back : Front;
      const Marked &E = Edges[Up[Node]];
      // From To the walk goes up; to From it comes down.
      bool Forward = AtBack ? E.From == Node : E.To == Node;
      Terms[Up[Node]].push_back({I, Forward ? 1 : -1});
      Node = E.From == Node ? E.To : E.From;
    }
  }
  return Terms;
}
