// SPDX-License-Identifier: GPL-2.0-or-later
//
// Orders from which the local search starts. Each is legal and deterministic;
// none is promised to be better than the input.

#pragma once

#include "hybrid/affinity/AffinityGraph.h"
#include "hybrid/layout/SearchSpace.h"

#include <string>
#include <utility>
#include <vector>

namespace kst {

struct Seed {
  std::string Name; ///< for the report: "declared", "sets", ...
  MoveUnitOrder Order;
};

/// In this order:
///  declared  the order of the definition;
///  sets      line by line: the hottest move unit opens a line, then whatever
///  saves
///            the most expected line touches minus conflicts joins, until
///            nothing gains or fits;
///  dense     as sets, by saving per byte;
///  clusters  the graph's groups, hottest first, each packed like sets;
///  heat      hottest first, whatever is used together.
/// MoveUnits that no set touches keep their order and fill what the lines
/// leave.
///
/// `Lines` are lines that the relaxation of the bound uses, as fields, and how
/// much (CertifiedBound). If there are any, one more seed comes first:
///  program   its lines, most used first, each with what is still free of it;
///            the rest as sets.
std::vector<Seed>
seeds(const SearchSpace &Space, const AffinityGraph &Graph,
      const std::vector<std::pair<std::vector<uint32_t>, double>> &Lines);
std::vector<Seed> seeds(const SearchSpace &Space, const AffinityGraph &Graph);

} // namespace kst
