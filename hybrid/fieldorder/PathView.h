// SPDX-License-Identifier: GPL-2.0-or-later
//
// How many cache lines the paths through the code touch, before and after:
// what a maintainer asks of a patch that moves fields.

#pragma once

#include "hybrid/fieldorder/Report.h"

#include <string>
#include <vector>

namespace kst {

/// The visits that one function owns, shown by the set for which the orders
/// differ most: anybody can work its lines out by hand from its fields.
struct PathView {
  Site Where;
  uint32_t Set = 0; ///< index into AffinityEvidence::Sets; the following is
                    ///< about this set
  Phase When = Phase::Steady;
  double Weight = 0; ///< as CoAccessSet::Weight
  double Share = 0;  ///< of the weight of all sets
  /// Expected lines that one visit touches: expectedLines().
  double Before = 0, After = 0;
  /// Line touches that the proposal saves in all sets of the function, sum of
  /// weight * (before - after). Negative: a path that pays. Remote visits count
  /// no more than others.
  double Saved = 0;
};

/// One entry per function, file and phase, steady ones first, in them the most
/// saved first, so that paths that pay are at their end; ties by place in the
/// evidence. First configuration.
std::vector<PathView> pathsOf(const Report &R);

/// "remote loop, 82% measured": what kind of visit this is, and with a profile
/// how much of its weight was counted.
std::string pathWords(const Report &R, const PathView &Path);

/// The paths to show when there is room for Count: those that save most and,
/// on a quarter of the rows, those that pay most, without changes of less than
/// a thousandth of the line touches of these paths. Steady ones only, where
/// there are any. Keeps the order.
std::vector<PathView> notablePaths(std::vector<PathView> Paths, size_t Count);

} // namespace kst
