// SPDX-License-Identifier: GPL-2.0-or-later
//
// The cheapest way of putting few items on lines, none of them in fractions:
// what closes the distance between the linear program (PartitionBound) and the
// best order.

#pragma once

#include "hybrid/layout/bound/LineProblem.h"
#include "hybrid/layout/bound/PartitionBound.h"

#include <cstdint>
#include <vector>

namespace kst {

struct ExactPartition {
  double Value = 0;   ///< no layout costs less
  bool Exact = false; ///< Value is the least cost of a partition, up to 1e-10
  /// Where Exact: a partition of that cost, as fields. A field that crosses
  /// from one line into another is in both.
  std::vector<std::vector<uint32_t>> Lines;
  uint64_t Work = 0;
};

/// A problem with more items is not tried.
constexpr uint32_t MostExactItems = 24;

/// Proof. Each item lies whole on one line, or in part on just two: it is no
/// longer than a line. A line holds bytes of two such crossing items at most,
/// one at either end; of one at most if it holds an item that starts the line,
/// or a large one (which runs over its end); lines and crossing items form no
/// ring. An item that would fit whole on one of its two lines may be put there:
/// c is monotone. So only lines are considered that overflow if one of their
/// crossing items were there whole.
///
/// With the valid prices pi and mu of the program and its bound B, let the
/// slack of a line be c(S) + mu - pi(S) >= 0. Then (PartitionBound.h)
///   cost = B + sum of slacks + g(number of lines),   g >= 0,
/// so a layout that costs less than B + d has no line of slack above d. All
/// lines of slack up to d are listed, by a depth-first search whose bound is a
/// knapsack as in LinePricing; the cheapest choice among them that holds every
/// item is found by another. If it costs up to B + d, it is the optimum;
/// otherwise B + d is a bound, and d is increased.
///
/// Effort in elementary steps; if it does not suffice, the last B + d.
ExactPartition exactPartition(const LineProblem &Problem,
                              const PartitionBound &Program, uint64_t Budget);

} // namespace kst
