// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the rules cost. An engineer who knows that a rule of the source could
// be given up, a memset split or a marker moved, wants to know whether that
// would be worth it, and which one it is.

#pragma once

#include "hybrid/layout/LayoutProblem.h"

#include <cstdint>
#include <vector>

namespace kst {

struct ConstraintCostOptions {
  /// Less than this share of the cost, for all rules together, is nothing.
  double WorthTogether = 0.01;
  /// And for one of them.
  double WorthAlone = 0.001;
  /// More rules than this are lifted by kind: those with the same words
  /// together.
  uint32_t MostAlone = 12;
  /// Elementary steps (OrderPrice::work()) for everything.
  uint64_t Budget = 60'000'000;
};

/// A rule, or several that are one to the reader, and what it blocks.
struct BlockedGain {
  std::vector<uint32_t> Notes; ///< indices into LayoutProblem::rules().notes()
  double Saves = 0;            ///< in the objective, without this rule alone
};

struct ConstraintCost {
  std::vector<BlockedGain> Alone; ///< strongest first; those worth telling
  /// Saved without all liftable rules together; 0 when it is not worth
  /// telling. Often more than the sum of those alone, since two rules may block
  /// one gain, or less, since two may block the same.
  double Together = 0;
};

/// Lifts rules and looks for a better order than `Best`, an order that obeys
/// all of them. `Best` should be the best order known, not one with few moves:
/// what an equal search from it finds without lifting anything is not
/// held against the rules.
///
/// First all liftable rules (ConstraintNote::Liftable) at once; if that gains,
/// each alone, those with the same words and place as one. The orders found are
/// local optima: what is reported is saved by an order that exists, and a rule
/// may block more. Deterministic.
ConstraintCost constraintCost(const LayoutProblem &Problem,
                              const MoveUnitOrder &Best,
                              const ConstraintCostOptions &Options = {});

/// `Guide` made legal: each segment holds its own move units in the order of
/// Guide, its anchors in their own.
MoveUnitOrder obeying(const Constraints &Rules, const MoveUnitOrder &Guide);

} // namespace kst
