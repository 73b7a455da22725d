// SPDX-License-Identifier: GPL-2.0-or-later
//
// The layout stage in one call: evidence in, advice out. Everything it is made
// of (offsets, constraints, cost, conflicts, seeds, search, bound, frontier)
// stands alone and is tested alone.

#pragma once

#include "hybrid/core/Layout.h"
#include "hybrid/layout/Baselines.h"
#include "hybrid/layout/LayoutProblem.h"
#include "hybrid/layout/Scores.h"

#include <span>

namespace kst {

/// Finds an order and says what it is worth.
///
/// InsufficientEvidence: no set, or fewer than two fields touched. Keep: the
/// gain is below KeepBelow, or survives too few draws of the weights, nothing
/// may move, a demand cannot be met, or our rules do not reproduce the record's
/// offsets (then Reasons says where). Else Reorder. Proposed equals Current
/// unless the verdict is Reorder, and then costs no more, unless Current does
/// not meet the demands. Deterministic; reads nothing but its arguments; safe
/// to call from several threads. `Others`, legal orders, are compared; the
/// best order found costs no more than any of them.
Advice advise(const LayoutProblem &Problem,
              std::span<const Baseline> Others = {});

/// The same for one configuration.
Advice advise(const AffinityEvidence &Evidence,
              const LayoutOptions &Options = {});

} // namespace kst
