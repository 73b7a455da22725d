// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often the visits happen that an object gets once in its life, against
// those that it lives for.

#pragma once

#include "hybrid/program/Visits.h"

#include <vector>

namespace kst {

/// An object that others find is visited by them at least so often for each
/// visit that makes it or takes it apart. A judgement.
inline constexpr double VisitsPerLife = 16;

/// The source shows ways to allocate and ways to use, and knows nothing of how
/// many uses follow an allocation. With S the weight of all steady visits,
/// first use included, and L that of set-up and teardown, the weights of these
/// are multiplied by
///     min(1, S / (VisitsPerLife * L))
/// and those of configuration by the same, with their own sum for L. Weights
/// that were measured or have the rates of the reference, which saw both kinds,
/// stay, as does all where S is 0.
void weighByLives(std::vector<Visit> &Visits);

} // namespace kst
