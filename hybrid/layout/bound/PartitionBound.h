// SPDX-License-Identifier: GPL-2.0-or-later
//
// A lower bound on the cost of every order, from the linear program over lines
// (LineMaster) and the proof that no line is much cheaper than its items'
// prices (LinePricing).

#pragma once

#include "hybrid/layout/bound/LineMaster.h"
#include "hybrid/layout/bound/LineProblem.h"

#include <cstdint>
#include <vector>

namespace kst {

struct PartitionBound {
  double Value = 0; ///< no partition into lines costs less
  /// Columns that the program uses at its best, as fields, heaviest first, and
  /// how much of each: a starting point for searches.
  std::vector<std::pair<std::vector<uint32_t>, double>> Lines;
  uint64_t Work = 0;
  /// Prices for which no line has pi(S) - c(S) - mu > 0, up to rounding, and
  /// the bound that they prove: Value but for a margin for rounding.
  std::vector<double> Prices;
  double Charge = 0, Bound = 0;
};

/// Proof. Let pi >= 0 and mu >= 0 be any numbers such that every feasible line
/// S has pi(S) - c(S) - mu <= 0 (pi of an item that is there in part counts in
/// part). A layout puts each item on lines with shares that sum to 1, on at
/// most free + e lines with 0 <= e <= extra lines, e of them paid for, hence
///   cost >= sum of c(S_L) + price * e >= sum (pi(S_L) - mu) + price * e
///        >= sum of pi - mu * free - (mu - price) * e
///        >= sum of pi - mu * free - max(0, mu - price) * extra lines.
/// Prices from the program nearly satisfy this. Items are gone through in a
/// fixed order; if the lines whose first whole item is r have values of up to
/// z > 0, pi_r is lowered by z, which settles these lines and worsens no other.
/// A flexible array that is alone on a line may not count as a line; then the
/// condition is pi(S) - c(S) <= 0, and its price is lowered to c(S).
/// (Were pi_r - z < 0, zero does: a line without r costs no more than with it.)
PartitionBound partitionBound(const LineProblem &Problem, uint64_t Budget);

} // namespace kst
