// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counts by line are taken from compiled code, and some lines have none of
// their own: a call of what was inlined, an expression that is all macros and
// functions of headers. What the counts say of them contradicts what they say
// of functions, which is surer.

#pragma once

#include "hybrid/evidence/PooledCounts.h"

#include <vector>

namespace kst {

/// Changes counts of blocks, nothing else. Functions: by FunctionId.
///
/// - A block that calls by name a function that was counted and never ran did
///   not run.
/// - A function that was entered went some way from its entry to its exit. On
///   the likeliest one, and on ways to what ran, blocks that never ran
///   have no count. The zero of a line of inlined code alone is doubted first.
/// - Nothing ran that only leads to, or only follows, what did not run.
void dropImpossible(const Program &Whole,
                    std::vector<PooledFunction> &Functions);

} // namespace kst
