// SPDX-License-Identifier: GPL-2.0-or-later
//
// Orders by the methods that others use, for one comparison table: what does a
// search with exact prices gain over them? Each is deterministic and legal:
// what a paper says about free fields is applied to move units, and Arrangement
// makes a legal order of the sequence that comes out.
//
// None of the papers knows immovable fields, anchors or fields of mixed
// alignment, and all leave fields without evidence open; here those keep their
// declared order behind the others. The papers were not at hand word by word:
// the methods are as they are commonly described, so read the names as "in the
// manner of".

#pragma once

#include "hybrid/affinity/AffinityGraph.h"
#include "hybrid/layout/SearchSpace.h"

#include <string>
#include <vector>

namespace kst {

struct Baseline {
  std::string Name;    ///< for reports: "by hotness", ...
  MoveUnitOrder Order; ///< legal
};

/// In this order:
///  current order   the order of the definition;
///  by hotness      expected visits, most first;
///  by size         alignment, then size, largest first: least padding;
///  front/back      pairwise greedy (Hagog and Tice, Cache aware data layout
///                  reorganization optimization in GCC, GCC Developers' Summit
///                  2005): the heaviest edge first, then the move unit with the
///                  heaviest edge to either end goes to that end; when no edge
///                  is left, the heaviest among the rest starts a new run;
///  gain-loss       greedy clustering (Raman, Hundt, Mannarswamy, Structure
///                  layout optimization for multithreaded programs, CGO'07):
///                  the hottest free move unit opens a cluster, then whichever
///                  has the largest positive sum of gain - loss to its members
///                  joins while the cluster fits a line; a cluster that does
///                  not fit into what is left of a line starts a new one, with
///                  cold move units in the hole. Gain and loss are the graph's,
///                  the loss in cycles, instead of the paper's from PMU
///                  samples;
///  single linkage  the dendrogram of gain: the two clusters with the heaviest
///                  edge between any two members merge, each turned so that the
///                  two ends of that edge come close; hottest tree first.
/// Weights between move units are sums over their fields, of the first
/// configuration.
std::vector<Baseline> baselines(const SearchSpace &Space,
                                const AffinityGraph &Graph);

} // namespace kst
