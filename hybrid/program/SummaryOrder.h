// SPDX-License-Identifier: GPL-2.0-or-later
//
// In which order functions are summarised.

#pragma once

#include "hybrid/program/CallGraph.h"

#include <vector>

namespace kst {

/// All functions, callees before callers. In a cycle that is not possible for
/// every call: those that happen least often give way, an eighth of the cycle's
/// calls at a time until it falls apart. Often: invocations of each function.
/// Deterministic.
std::vector<FunctionId> calleesFirst(const CallGraph &Graph,
                                     const std::vector<double> &Often);

} // namespace kst
