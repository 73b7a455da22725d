// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/codelayout/CodeLayoutBaseline.h"

#include "hybrid/layout/Arrangement.h"
#include "hybrid/layout/MoveUnitGraph.h"

#include "llvm/Transforms/Utils/CodeLayout.h"

#include <algorithm>
#include <cmath>

namespace kst {

Baseline codeLayoutBaseline(const SearchSpace &Space,
                            const AffinityGraph &Graph) {
  using llvm::codelayout::EdgeCount;
  const MoveUnitGraph MoveUnits(Space, Graph);
  const std::vector<uint32_t> &Active = MoveUnits.active();

  double Largest = 0;
  for (uint32_t U : Active)
    Largest = std::max(Largest, Space.shape(U).Heat);
  for (const MoveUnitGraph::Edge &E : MoveUnits.edges())
    Largest = std::max(Largest, E.Gain);
  auto Scaled = [&](double Weight) {
    return Largest > 0 ? static_cast<uint64_t>(
                             std::llround(Weight / Largest * (1 << 30)))
                       : 0;
  };

  std::vector<uint64_t> Sizes, Counts, Offsets;
  std::vector<EdgeCount> Edges;
  std::vector<uint32_t> Node(Space.brickCount(), ~0u);
  for (uint32_t U : Active) {
    Node[U] = static_cast<uint32_t>(Sizes.size());
    Sizes.push_back(std::max<uint64_t>(1, Space.shape(U).SizeBytes));
    Counts.push_back(Scaled(Space.shape(U).Heat));
  }
  auto Add = [&](uint32_t From, uint32_t To, double Gain) {
    Edges.push_back({Node[From], Node[To], Scaled(Gain)});
    Offsets.push_back(Sizes[Node[From]] / 2);
  };
  for (const MoveUnitGraph::Edge &E : MoveUnits.edges())
    if (E.Gain > 0 && Node[E.A] != ~0u && Node[E.B] != ~0u) {
      Add(E.A, E.B, E.Gain / 2);
      Add(E.B, E.A, E.Gain / 2);
    }

  std::vector<uint32_t> Wish;
  if (!Sizes.empty()) {
    llvm::codelayout::CDSortConfig Config;
    Config.CacheSize = Space.model().options().LineBytes;
    for (uint64_t At : llvm::codelayout::computeCacheDirectedLayout(
             Config, Sizes, Counts, Edges, Offsets))
      Wish.push_back(Active[At]);
  }
  return {"llvm::codelayout", arranged(Space, {Wish})};
}

} // namespace kst
