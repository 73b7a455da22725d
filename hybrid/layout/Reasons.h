// SPDX-License-Identifier: GPL-2.0-or-later
//
// The advice in sentences with numbers, for people.

#pragma once

#include "hybrid/layout/Advise.h"
#include "hybrid/layout/SearchSpace.h"

#include <string>

namespace kst {

/// Appends to Advice.Reasons: the gain and the bound; the sets that gain most,
/// with their place; the worst conflicts that the order ends or leaves.
/// Current, Proposed, Frontier and What must be filled in.
void explain(Advice &Result, const AffinityEvidence &Evidence,
             const LayoutCost &Model, const LayoutOptions &Options);

/// A number with at most four significant digits, independent of locale.
std::string figure(double Value);
/// 0.1234 -> "12.3 %".
std::string inPercent(double Share);

} // namespace kst
