// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/MoveUnitGraph.h"

#include <algorithm>

namespace kst {

MoveUnitGraph::MoveUnitGraph(const SearchSpace &Space,
                             const AffinityGraph &Graph)
    : Count(Space.brickCount()), Gain(Count * Count), Loss(Count * Count) {
  const Constraints &Rules = Space.rules();
  for (const AffinityEdge &E : Graph.edges()) {
    size_t A = Rules.moveUnitOf(E.A), B = Rules.moveUnitOf(E.B);
    if (A == B)
      continue;
    for (size_t At : {A * Count + B, B * Count + A}) {
      Gain[At] += E.Gain;
      Loss[At] += E.Loss;
    }
  }
  for (uint32_t A = 0; A < Count; ++A)
    for (uint32_t B = A + 1; B < Count; ++B)
      if (gain(A, B) > 0 || loss(A, B) > 0)
        Edges.push_back({A, B, gain(A, B), loss(A, B)});
  for (uint32_t U = 0; U < Count; ++U) {
    const MoveUnit &What = Rules.bricks()[U];
    if (Space.shape(U).Active && (What.Movable || What.Anchor))
      Active.push_back(U);
  }
  std::ranges::stable_sort(Active, [&](uint32_t A, uint32_t B) {
    return Space.shape(A).Heat > Space.shape(B).Heat;
  });
}

std::vector<MoveUnitGraph::Edge> MoveUnitGraph::byGain() const {
  std::vector<Edge> Sorted;
  for (const Edge &E : Edges)
    if (E.Gain > 0)
      Sorted.push_back(E);
  std::ranges::stable_sort(
      Sorted, [](const Edge &A, const Edge &B) { return A.Gain > B.Gain; });
  return Sorted;
}

} // namespace kst
