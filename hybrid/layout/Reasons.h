// SPDX-License-Identifier: GPL-2.0-or-later
//
// The advice in sentences with numbers, for people.

#pragma once

#include "hybrid/layout/Advise.h"
#include "hybrid/layout/SearchSpace.h"

#include <string>

namespace kst {

/// Appends to Advice.Reasons: the gain and the bound; on which case the gain
/// rests; the sets that gain most, with their place; the worst conflicts that
/// the order ends or leaves. All but Reasons and Compared must be filled in.
void explain(Advice &Result, const LayoutProblem &Problem);

/// A number with at most four significant digits, independent of locale.
std::string figure(double Value);
/// 0.1234 -> "12.3 %".
std::string inPercent(double Share);

} // namespace kst
