// SPDX-License-Identifier: GPL-2.0-or-later
//
// The layout stage in one call: evidence in, advice out. Everything it is made
// of (offsets, constraints, cost, conflicts, seeds, search, bound, frontier)
// stands alone and is tested alone.

#ifndef KST_HYBRID_LAYOUT_ADVISE_H
#define KST_HYBRID_LAYOUT_ADVISE_H

#include "hybrid/layout/LayoutProblem.h"
#include "hybrid/model/Layout.h"

namespace kst {

/// Finds an order and says what it is worth.
///
/// InsufficientEvidence: no set, or fewer than two fields touched. Keep: the
/// gain is below KeepBelow, or survives too few draws of the weights, nothing
/// may move, a demand cannot be met, or our rules do not reproduce the record's
/// offsets (then Reasons says where). Else Reorder. Proposed equals Current
/// unless the verdict is Reorder, and then costs no more, unless Current does
/// not meet the demands. Deterministic; reads nothing but its arguments; safe
/// to call from several threads.
Advice advise(const LayoutProblem &Problem);

/// The same for one configuration.
Advice advise(const AffinityEvidence &Evidence,
              const LayoutOptions &Options = {});

/// An order of units beside current and proposed, legal or not.
OrderScore scoreOf(const LayoutProblem &Problem, std::string Name,
                   const UnitOrder &Order);

/// Expected lines that one visit of `Set` touches in a layout.
double expectedLines(const RecordInfo &Record, const CoAccessSet &Set,
                     const Layout &Plan, const CostOptions &Options = {});

} // namespace kst

#endif
