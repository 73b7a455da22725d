// SPDX-License-Identifier: GPL-2.0-or-later
//
// Variables with static storage out of debug information.

#ifndef KST_PASSES_READERS_DEBUGGLOBALS_H
#define KST_PASSES_READERS_DEBUGGLOBALS_H

#include "hybrid/core/GlobalVariable.h"

#include "passes/readers/DebugInfo.h"

#include <vector>

namespace kst {

/// By address; one for each address, those of functions as well. `WithMembers`:
/// of those that are structs, or arrays of them, with the members' names.
std::vector<GlobalVariable> debugGlobals(DebugInfo &Debug,
                                         bool WithMembers = false);

} // namespace kst

#endif
