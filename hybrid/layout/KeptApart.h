// SPDX-License-Identifier: GPL-2.0-or-later
//
// Do no harm: a lock that the present order keeps off the lines of what is used
// with it stays off them, unless a measurement says who waits. Where CPUs wait
// for a lock, they take its line away amidst its holder's work, and maintainers
// who measured that part the two; where nobody waits, a lock is best beside
// what it protects. The cost of visits sees only the latter. Nor is a field
// that one CPU writes joined with one that others read, whatever some visits
// would save, where the source alone speaks: nobody knows how often they meet.

#pragma once

#include "hybrid/affinity/Conflicts.h"
#include "hybrid/core/Evidence.h"
#include "hybrid/layout/Placement.h"

#include <vector>

namespace kst {

/// A lock and each field that at least this share of all visits uses with it;
/// of the present cost, what a conflict costs.
inline constexpr double NotableShare = 0.01;

/// Such pairs that share no line in the stated order, as demands, by fields.
std::vector<Placement> keptApart(const AffinityEvidence &Of,
                                 uint32_t LineBytes);

/// Where the source alone speaks, also those that conflict by at least
/// `LeastConflict`, and those that are written by visits of different functions
/// only.
std::vector<Placement> keptApart(const AffinityEvidence &Of, uint32_t LineBytes,
                                 const Conflicts &Clashes,
                                 double LeastConflict);

} // namespace kst
