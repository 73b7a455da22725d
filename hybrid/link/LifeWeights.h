// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often the visits happen that an object gets once in its life, against
// those that it lives for.

#ifndef KST_HYBRID_LINK_LIFEWEIGHTS_H
#define KST_HYBRID_LINK_LIFEWEIGHTS_H

#include "hybrid/link/Visits.h"

#include <vector>

namespace kst {

/// An object that others find is visited by them at least so often for each
/// visit that makes it or takes it apart. A judgement: the fewest known is a
/// packet, with about 60 functions between allocation and release and 4 that
/// make it or take it apart.
inline constexpr double VisitsPerLife = 16;

/// The source shows ways to allocate and ways to use, and knows nothing of how
/// many uses follow an allocation. With S the weight of all steady visits and L
/// that of set-up, first use and teardown, their weights are multiplied by
///     min(1, S / (VisitsPerLife * L))
/// and those of configuration by the same, with their own sum for L. Weights
/// that were measured stay, as does all where S is 0.
void weighByLives(std::vector<Visit> &Visits);

} // namespace kst

#endif
