// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a given order is worth: to one visit, to the objective, to each
// configuration and line size.

#pragma once

#include "hybrid/core/Layout.h"
#include "hybrid/layout/LayoutProblem.h"

#include <span>
#include <string>
#include <vector>

namespace kst {

/// Expected lines that one visit of `Set` touches in a layout.
double expectedLines(const RecordInfo &Record, const CoAccessSet &Set,
                     const Layout &Plan, const CostOptions &Options = {});

/// What an order of fields costs in all models of the problem, by their shares.
double objective(const LayoutProblem &Problem, std::span<const uint32_t> Order);

/// An order of move units beside current and proposed, legal or not.
OrderScore scoreOf(const LayoutProblem &Problem, std::string Name,
                   const MoveUnitOrder &Order);

/// What the stated and the proposed order mean for each configuration, for the
/// line size that orders are optimised for and then for the others; last, of
/// objects that all CPUs share. Names and triples are left to the caller.
std::vector<ConfigScore> configScores(const LayoutProblem &Problem,
                                      const Layout &Proposed);

} // namespace kst
