// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory-side caches as a machine announces them.

#pragma once

#include "hybrid/colour/ColourSweep.h"

namespace kst {

struct NodeCache {
  unsigned Node = 0, Level = 0; ///< level: the directory indexN
  MemoryCache Shape;            ///< Ways 0: the machine does not say
  std::string Indexing;         ///< `direct`, `complex`, `other`
  std::string WritePolicy;      ///< `write-back`, `write-through`, `other`
};

/// nodeN/memory_side_cache/indexM below `NodeRoot`, by node and level. None is
/// no failure; a file that is not understood is.
Result<std::vector<NodeCache>>
nodeCaches(const std::string &NodeRoot = "/sys/devices/system/node");

} // namespace kst
