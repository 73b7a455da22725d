// SPDX-License-Identifier: GPL-2.0-or-later
//
// The affinity graph with move units for nodes, as the baselines want it.

#pragma once

#include "hybrid/affinity/AffinityGraph.h"
#include "hybrid/layout/SearchSpace.h"

#include <cstdint>
#include <vector>

namespace kst {

/// Immutable; holds no reference to its inputs.
class MoveUnitGraph {
public:
  MoveUnitGraph(const SearchSpace &Space, const AffinityGraph &Graph);

  struct Edge {
    uint32_t A = 0, B = 0; ///< A < B
    double Gain = 0, Loss = 0;
  };
  /// By (A, B); only pairs with some gain or loss.
  const std::vector<Edge> &edges() const { return Edges; }
  /// The edges with gain, heaviest first, ties by (A, B).
  std::vector<Edge> byGain() const;
  double gain(uint32_t A, uint32_t B) const { return Gain[A * Count + B]; }
  double loss(uint32_t A, uint32_t B) const { return Loss[A * Count + B]; }
  /// MoveUnits with evidence that are not immovable fields, hottest first, ties
  /// by index. Anchors are among them.
  const std::vector<uint32_t> &active() const { return Active; }

private:
  size_t Count = 0;
  std::vector<double> Gain, Loss; ///< Count * Count, symmetric
  std::vector<Edge> Edges;
  std::vector<uint32_t> Active;
};

} // namespace kst
