// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a saving of cost comes to in misses. The cost counts every line that a
// visit touches; a cache keeps some from the visit before, the frequencies are
// of other workloads than the user's, and an order that was searched for looks
// better than it is. How much all of that takes away was measured.

#pragma once

#include "hybrid/core/Evidence.h"
#include "hybrid/core/Layout.h"

#include <optional>

namespace kst {

/// Where most of the weight of an evidence comes from.
enum class Basis { Source, Reference, Measured };
Basis basisOf(const AffinityEvidence &Of);

/// Shares of the misses that the present order has; below 0: more misses.
struct MissSaving {
  double Low = 0, Middle = 0, High = 0;
};

/// Of a proposed order that is promised to cost `Gain` less, a share below 1.
/// Low to High held nine in ten of the orders that were replayed on recorded
/// accesses: with y the logarithm of misses now over misses then, and x that of
/// the costs, y lies within slope x +- width (bench/calibration.py).
MissSaving missSaving(double Gain, Basis From);

/// Of the proposal, if there is one that costs less.
std::optional<MissSaving> missSaving(const Advice &Of,
                                     const AffinityEvidence &Evidence);

} // namespace kst
