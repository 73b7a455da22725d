// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much of each edge of the affinity graph was measured, and how sure it is.

#pragma once

#include "hybrid/affinity/Affinity.h"
#include "hybrid/core/CoAccessSet.h"

#include <span>
#include <vector>

namespace kst {

/// Splits Gain into Static and Dynamic by the measured shares of the visits in
/// which the two fields meet, and fills in Sure: each set's interval carries
/// over by how much the gain follows its weight; sets are independent.
void describeEdges(std::vector<AffinityEdge> &Edges,
                   std::span<const CoAccessSet> Sets);

} // namespace kst
