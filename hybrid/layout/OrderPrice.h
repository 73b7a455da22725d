// SPDX-License-Identifier: GPL-2.0-or-later
//
// The price of one order of move units as it changes: every configuration's
// cost, kept up to date by moves, plus what broken demands cost. The one thing
// that searches ask.

#pragma once

#include "hybrid/affinity/CostState.h"
#include "hybrid/layout/SearchSpace.h"

#include <cstdint>
#include <vector>

namespace kst {

/// Keeps a reference to the space; not safe to share between threads.
class OrderPrice {
public:
  OrderPrice(const SearchSpace &Space, const MoveUnitOrder &Order);

  /// What `Order` would cost: equals SearchSpace::price() up to rounding.
  double trial(const MoveUnitOrder &Order);
  /// Adopts the order of the last trial.
  void commit();

  /// SearchSpace::price() of the current order.
  double total() const { return Total; }
  /// The same by part, without the penalty of broken placements.
  Cost price() const;
  /// Elementary steps so far: a clock that ticks the same on every machine.
  uint64_t work() const;

private:
  double penalty(uint64_t WordsTooMany) const;

  const SearchSpace &Space;
  std::vector<CostState> States; ///< one per configuration
  std::vector<uint32_t> Fields;
  std::vector<std::vector<uint64_t>> Offsets; ///< per configuration
  double Total = 0, Penalty = 0, NextPenalty = 0;
  uint64_t Trials = 0;
};

} // namespace kst
