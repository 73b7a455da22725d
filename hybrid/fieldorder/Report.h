// SPDX-License-Identifier: GPL-2.0-or-later
//
// Everything a report shows, gathered before any renderer runs: text, JSON,
// HTML and graph exports are views of this one value.

#pragma once

#include "hybrid/affinity/Affinity.h"
#include "hybrid/core/Evidence.h"
#include "hybrid/core/Layout.h"
#include "hybrid/core/Machine.h"
#include "hybrid/core/ToolId.h"
#include "hybrid/core/UnanalyzedUsers.h"
#include "hybrid/replay/OrderReplay.h"

#include <optional>
#include <string>
#include <vector>

namespace kst {

/// What the advice is worth if one profile alone is believed.
struct ProfileAdvice {
  std::string Name;
  double Now = 0, New = 0; ///< cost of current and proposed order
  bool Holds = false;      ///< the proposed order is worth a patch
  /// Lines of the proposed order with at least two touched fields: share of the
  /// visits that touch two or more of them.
  struct Group {
    uint32_t Line = 0;
    double Together = 0;
  };
  std::vector<Group> Groups;
  double gain() const { return Now > 0 ? 1 - New / Now : 0; }
};

/// An order that a patch makes as somebody wants it: a random legal one for the
/// user's tests, or one with fields on a line of their own.
struct PatchOrder {
  uint64_t Seed = 0;                ///< of the random one
  std::vector<std::string> Aligned; ///< fields of a line of their own, or none
  double Objective = 0;             ///< what it costs, if that is known
  std::vector<uint32_t> Order;      ///< fields
  std::vector<Layout> Layouts;      ///< one for each configuration
};

/// The report on one record, for one target and one line size.
struct Report {
  ToolId Tool;
  std::string Triple;
  uint32_t CacheLineBytes = 64;
  Machine On;
  /// Cycles of a line that a steady visit finds as it left it, and what one
  /// costs more that another CPU took.
  double LineCycles = 0, LostCycles = 0;
  double LambdaPad = 0;
  uint64_t Seed = 1; ///< of the search and of the draws of weights
  /// Alignment at which instances were taken to start; 0: the rule of
  /// instanceAlignment() in hybrid/layout.
  uint32_t InstanceAlignBytes = 0;
  AffinityEvidence Evidence;
  std::vector<AffinityEdge> Edges; ///< sorted by (A, B)
  Advice Layouts;
  /// Other records that the text of the definition makes, each with its
  /// keyword: whoever edits it changes them too.
  std::vector<std::string> AlsoChanged;
  /// Of all configurations; see OpaqueUse.
  std::vector<OpaqueUse> OpaqueUses;
  /// A patch has it in place of the proposed one.
  std::optional<PatchOrder> InPatch;
  /// One for each configuration; empty when nobody asked.
  std::vector<UnanalyzedUsers> SeenBy;
  /// One for each profile, where there are several and an order is proposed.
  std::vector<ProfileAdvice> UnderProfiles;
  /// Of the current order, the proposed one, and others; none if nobody asked.
  std::optional<ReplayedOrders> Replay;
};

} // namespace kst
