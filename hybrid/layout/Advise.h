// SPDX-License-Identifier: GPL-2.0-or-later
//
// The layout stage in one call: evidence in, advice out. Everything it is made
// of (offsets, constraints, cost, conflicts, seeds, search, bound, frontier)
// stands alone and is tested alone.

#ifndef KST_HYBRID_LAYOUT_ADVISE_H
#define KST_HYBRID_LAYOUT_ADVISE_H

#include "hybrid/graph/Conflicts.h"
#include "hybrid/layout/Constraints.h"
#include "hybrid/layout/LayoutCost.h"
#include "hybrid/model/Evidence.h"
#include "hybrid/model/Layout.h"

namespace kst {

struct LayoutOptions : CostOptions, ConstraintOptions, ConflictOptions {
  /// A gain below this share of the present cost is not worth a patch.
  double KeepBelow = 0.02;
  /// Elementary steps for the whole search (CostState::work()): the same
  /// result on every machine; about a second at the default.
  uint64_t Budget = 200'000'000;
  uint64_t Seed = 1; ///< of the clustering
};

/// Finds an order and says what it is worth.
///
/// InsufficientEvidence: no set, or fewer than two fields touched. Keep: the
/// gain is below KeepBelow, nothing may move, or our rules do not reproduce the
/// record's offsets (then Reasons says where). Else Reorder. Proposed never
/// costs more than Current and equals it unless the verdict is Reorder.
/// Deterministic; reads nothing but its arguments; safe to call from several
/// threads.
Advice advise(const AffinityEvidence &Evidence,
              const LayoutOptions &Options = {});

/// Expected lines that one visit of `Set` touches in a layout.
double expectedLines(const RecordInfo &Record, const CoAccessSet &Set,
                     const Layout &Plan, const CostOptions &Options = {});

} // namespace kst

#endif
