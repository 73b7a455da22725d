// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who calls whom and how often per invocation, and the order in which callees
// come before their callers.

#pragma once

#include "hybrid/program/CodeFrequencies.h"

#include <vector>

namespace kst {

struct CallEdge {
  FunctionId Callee;
  double Times; ///< calls per invocation of the caller
};

/// Outgoing edges of each function, sorted by callee, each callee once.
using CallGraph = std::vector<std::vector<CallEdge>>;

CallGraph callGraph(const Program &Whole, const CodeFrequencies &Code);

/// Strongly connected components (Tarjan 1972): the component of each
/// function, numbered so that a callee's is never larger than its caller's.
std::vector<uint32_t> components(const CallGraph &Graph);

} // namespace kst
