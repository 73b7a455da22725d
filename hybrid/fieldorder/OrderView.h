// SPDX-License-Identifier: GPL-2.0-or-later
//
// Orders beside one another: current, proposed, the baselines, what the
// engineer asked about, and the proposal taken only part of the way.

#ifndef KST_HYBRID_FIELDORDER_ORDERVIEW_H
#define KST_HYBRID_FIELDORDER_ORDERVIEW_H

#include "hybrid/fieldorder/ReportView.h"

#include <string>
#include <vector>

namespace kst {

/// One row of the comparison. Costs are what searches minimise: over all
/// configurations, in the unit of set weights.
struct OrderRow {
  std::string Name;
  double Cost = 0;
  uint32_t Moves = 0;
  uint64_t SizeBytes = 0;
  std::string Note;  ///< rules it breaks; "" when it breaks none
  bool Ours = false; ///< current or proposed
};

/// Fields that the proposal moves, in any configuration.
uint32_t movesOf(const ReportView &View);

/// Current, proposed, the best one found if that is another, baselines,
/// questions. Empty when there is nothing to compare with.
std::vector<OrderRow> ordersOf(const ReportView &View);

/// One row of the frontier.
struct FrontierRow {
  FrontierPoint Point;
  bool Proposed = false; ///< this is what the report proposes
};

/// About eight points of the frontier, the first, the last and the proposed
/// one among them: the best within 1, 3, 5, 10, 20, 50, ... moves. All of them
/// when Full.
std::vector<FrontierRow> frontierOf(const ReportView &View, bool Full);

} // namespace kst

#endif
