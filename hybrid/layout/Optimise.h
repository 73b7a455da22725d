// SPDX-License-Identifier: GPL-2.0-or-later
//
// The search for the best order, and what is certain about it: a lower bound
// for each configuration, and an order of the joint problem.

#pragma once

#include "hybrid/layout/LayoutProblem.h"
#include "hybrid/layout/bound/Bound.h"

#include <vector>

namespace kst {

/// One bound for each model of the problem; a share of LayoutOptions::Budget
/// pays for them together.
std::vector<CertifiedBound> certifiedBounds(const LayoutProblem &Problem);

/// No order of the objective costs less: the bounds, weighted with the shares
/// of their models. What --pin demands only narrows the choice.
double objectiveBound(const LayoutProblem &Problem,
                      const std::vector<CertifiedBound> &Bounds);

/// The best order found, never worse than any of baselines(), of which the
/// declared one is the first. Deterministic;
/// effort is bounded by LayoutOptions::Budget steps, never by time.
MoveUnitOrder bestOrder(const LayoutProblem &Problem,
                        const std::vector<CertifiedBound> &Bounds);

} // namespace kst
