// SPDX-License-Identifier: GPL-2.0-or-later
//
// The data profile for people and for programs.

#pragma once

#include "hybrid/core/ToolId.h"
#include "hybrid/dprof/DataProfile.h"
#include "hybrid/dprof/ReportedOrder.h"
#include "hybrid/report/Document.h"

#include <string>

namespace kst {

/// What is shown of a profile. JSON has all of it.
struct DprofViews {
  bool Profile = true, Misses = true, WorkingSet = true, Flow = true;
  std::string Type; ///< only its details; empty: those of the hottest types
};

struct DprofReport {
  ToolId Tool;
  DataProfile Data;
  std::vector<ReportedOrder> Orders; ///< beside Data.Orders
  /// Hot types that have no order, and why.
  std::vector<std::pair<std::string, std::string>> NotAnalyzed;
  std::optional<DataProfile> Other; ///< of another trace, to compare with
  DprofViews Views;
};

Document describe(const DprofReport &R);

/// schema/kst-dprof-1.schema.json
std::string toJson(const DprofReport &R);

/// The paths of objects, one graph for each type of the view, as DOT.
std::string toDot(const DprofReport &R);

} // namespace kst
