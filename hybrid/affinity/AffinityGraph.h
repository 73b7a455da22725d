// SPDX-License-Identifier: GPL-2.0-or-later
//
// The affinity graph: fields as nodes, and for each pair what it gains and
// loses on one line. A projection of the co-access sets for people to look at
// and for clustering; the optimiser prices sets, not pairs.
//
//   together(a,b) = sum_s w_s p_s(a) p_s(b)
//   chance(a,b)   = F_a F_b / (W + W0),  F_a = sum_s w_s p_s(a), W = sum_s w_s
//   gain(a,b)     = max(0, together - chance)
//   loss(a,b)     = conflict(a,b)                       (Conflicts.h)
//
// Chance is the frequency-product null model: how often two fields would meet
// if each kept its frequency and visits chose fields independently. W0, the
// mean weight of a set, stands for the visits that were not seen: without it a
// record with one path, whose fields always meet, would have no edge at all.

#pragma once

#include "hybrid/affinity/Affinity.h"
#include "hybrid/affinity/Conflicts.h"
#include "hybrid/core/CoAccessSet.h"
#include "hybrid/core/Record.h"
#include "hybrid/core/Result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kst {

struct GraphOptions {
  /// Edges whose gain and loss are both below this share of the largest gain
  /// or loss are left out of edges(); clustering sees them all.
  double MinShare = 1e-3;
  uint64_t Seed = 1; ///< of the Leiden algorithm
};

/// Immutable after construction; safe to share between threads (calls into
/// igraph are serialised). Holds no reference to its inputs.
class AffinityGraph {
public:
  AffinityGraph(const RecordInfo &Record, std::span<const CoAccessSet> Sets,
                const Conflicts &Clashes, const GraphOptions &Options = {});

  /// Sorted by (A, B). Static and Dynamic are 0: who merges evidence fills
  /// them in.
  const std::vector<AffinityEdge> &edges() const { return Edges; }
  /// F: expected visits that touch the field.
  double frequency(uint32_t Field) const { return Frequency[Field]; }

  /// Groups of fields found by the Leiden algorithm (Traag, Waltman, van Eck
  /// 2019) with together - conflict as edge weights and the null model above
  /// as the penalty. Hottest group first; within a group, hottest field first;
  /// ties by index. Fields that no set touches are in no group. Same inputs
  /// and seed, same groups.
  std::vector<std::vector<uint32_t>> communities() const;

  /// The graph as GraphML or DOT: node attributes name, frequency, group;
  /// edge attributes gain, loss.
  Result<std::string> graphMl() const;
  Result<std::string> dot() const;

private:
  Result<std::string> write(bool Dot) const;

  GraphOptions Opts;
  std::vector<std::string> Names;
  std::vector<double> Frequency;
  std::vector<double> Together; ///< fields * fields
  std::vector<AffinityEdge> Edges;
  Conflicts Clashes;
  double NullVisits = 0; ///< W + W0
};

} // namespace kst
