// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much of the gain how few moves would bring. Maintainers take small
// patches; this says what a small one is worth.

#ifndef KST_HYBRID_LAYOUT_FRONTIER_H
#define KST_HYBRID_LAYOUT_FRONTIER_H

#include "hybrid/layout/SearchSpace.h"
#include "hybrid/model/Layout.h"
#include "hybrid/model/Record.h"

#include <vector>

namespace kst {

/// A point of the frontier together with the order that reaches it.
struct FrontierOrder {
  FrontierPoint Point;
  UnitOrder Order;
};

/// Points from {0 moves, declared order} to {all moves, Best}, moves rising and
/// cost falling strictly. Found backwards: from Best, the unit whose return
/// costs least goes home, until all are home. Stops early when `Budget` steps
/// are spent; the two end points are always there (one point if Best is the
/// declared order or costs no less).
std::vector<FrontierOrder> frontier(const RecordInfo &Record,
                                    const SearchSpace &Space,
                                    const UnitOrder &Best, uint64_t Budget);

} // namespace kst

#endif
