// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/SummaryOrder.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace kst {
namespace {

struct Edge {
  uint32_t From, To; ///< of the members
  double Calls;
};

/// Takes out the weakest eighth, at least one.
void dropWeakest(std::vector<Edge> &Edges) {
  const size_t Dropped = (Edges.size() + 7) / 8;
  std::ranges::sort(Edges, [](const Edge &A, const Edge &B) {
    return std::tie(A.Calls, A.From, A.To) < std::tie(B.Calls, B.From, B.To);
  });
  Edges.erase(Edges.begin(), Edges.begin() + ptrdiff_t(Dropped));
}

void order(const std::vector<FunctionId> &Members,
           const std::vector<Edge> &Edges, std::vector<FunctionId> &Out) {
  CallGraph Graph(Members.size());
  for (const Edge &E : Edges)
    Graph[E.From].push_back({E.To, E.Calls});
  const std::vector<uint32_t> Component = components(Graph);
  std::vector<uint32_t> Sorted(Members.size());
  std::iota(Sorted.begin(), Sorted.end(), 0);
  std::ranges::stable_sort(Sorted, {},
                           [&](uint32_t M) { return Component[M]; });
  std::vector<uint32_t> Number(Members.size()); // in its component
  for (size_t Begin = 0, End; Begin != Sorted.size(); Begin = End) {
    std::vector<FunctionId> Cycle;
    for (End = Begin; End != Sorted.size() &&
                      Component[Sorted[End]] == Component[Sorted[Begin]];
         ++End) {
      Number[Sorted[End]] = uint32_t(End - Begin);
      Cycle.push_back(Members[Sorted[End]]);
    }
    if (Cycle.size() == 1) {
      Out.push_back(Cycle.front());
      continue;
    }
    std::vector<Edge> Inside;
    for (size_t M = Begin; M != End; ++M)
      for (const CallEdge &E : Graph[Sorted[M]])
        if (E.Callee != Sorted[M] &&
            Component[E.Callee] == Component[Sorted[M]])
          Inside.push_back({Number[Sorted[M]], Number[E.Callee], E.Times});
    dropWeakest(Inside);
    order(Cycle, Inside, Out);
  }
}

} // namespace

std::vector<FunctionId> calleesFirst(const CallGraph &Graph,
                                     const std::vector<double> &Often) {
  std::vector<FunctionId> All(Graph.size()), Out;
  std::iota(All.begin(), All.end(), 0);
  std::vector<Edge> Edges;
  for (FunctionId Id = 0; Id != Graph.size(); ++Id)
    for (const CallEdge &E : Graph[Id])
      Edges.push_back({Id, E.Callee, Often[Id] * E.Times});
  order(All, Edges, Out);
  return Out;
}

} // namespace kst
