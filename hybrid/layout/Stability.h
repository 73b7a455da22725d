// SPDX-License-Identifier: GPL-2.0-or-later
//
// How the advice holds when the weights are not what we think. Weights are
// products of estimated frequencies, the weakest part of static evidence: an
// order that is better only for exactly these weights is no advice.

#pragma once

#include "hybrid/core/Layout.h"
#include "hybrid/layout/Assumptions.h"
#include "hybrid/layout/LayoutProblem.h"

#include <cstdint>
#include <span>

namespace kst {

struct StabilityOptions {
  /// Each weight is multiplied by a factor of its own, its logarithm uniform
  /// between those of 1/Factor and Factor. At least 1.
  double Factor = 4;
  uint32_t Draws = 64;
  uint64_t Seed = 1;
  /// After MinDraws no further draw starts once so many elementary steps are
  /// spent.
  uint64_t Budget = 60'000'000;
  uint32_t MinDraws = 16;
  /// The same questions are asked under each of these, with the weights as they
  /// are.
  std::span<const Assumption> Assumed;
};

/// Draws the weights of all co-access sets anew, Draws times, derives conflicts
/// and prices from them and asks the same questions again: does `Proposed` cost
/// less than the declared order, by how much, and would each of its moves cost
/// if it alone were taken back (see partOf())?
///
/// One place of the source has one factor, in whatever configuration it is
/// seen: sets with equal kind, relation and Where, in the order of the
/// evidence. Shares of the configurations are kept as they are. Demands have no
/// price here; a move without which fewer of them are met helps in every draw.
/// Percentiles by nearest rank. A difference below 1e-9 of the cost is none.
/// Moves are the fields of the moved move units, in the order of the
/// definition; none if Proposed is the declared order. Deterministic.
Stability stability(const LayoutProblem &Problem, const MoveUnitOrder &Proposed,
                    const StabilityOptions &Options = {});

} // namespace kst
