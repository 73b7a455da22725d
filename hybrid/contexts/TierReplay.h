// SPDX-License-Identifier: GPL-2.0-or-later
//
// A trace's accesses to kernel memory, replayed on pages in two tiers.

#pragma once

#include "hybrid/contexts/OwnerTable.h"
#include "hybrid/contexts/TierRun.h"
#include "hybrid/core/Result.h"
#include "hybrid/core/ToolId.h"
#include "hybrid/report/Document.h"
#include "hybrid/trace/TraceReader.h"

#include <functional>
#include <string>
#include <vector>

namespace kst {

struct TierOptions {
  OwnerOptions Types;
  std::vector<double> FastShares = {0.1, 0.25, 0.5, 0.75};
  std::vector<double> Ratios = {2, 4, 8};
  /// Cost of a migration in lines of a page that are read from one tier and
  /// written to the other: a page has 64 of 64 bytes.
  double CopyLines = 64;
  uint64_t ScanEvery = 0; ///< accesses; 0: a two-hundredth of all
  /// Objects of one context and type in pages of their own; else where the
  /// kernel has them.
  bool Grouped = false;
  double copyCost(double Ratio) const { return CopyLines * (1 + Ratio); }
};

struct TierResult {
  TierPolicy Policy;
  TierCounts Counts;
};

/// One size of the fast tier.
struct TierSize {
  double Share = 0; ///< of MostPages
  uint64_t FastPages = 0;
  std::vector<TierResult> Policies; ///< by TierPolicy
  std::vector<double> Bounds;       ///< by ratio, as TierCounts::cost()
};

struct TierReport {
  std::string File, Label;
  uint64_t Events = 0, Accesses = 0, Outside = 0, Lost = 0;
  bool Complete = true, Grouped = false;
  std::vector<std::string> Limits;
  uint64_t MostPages = 0;     ///< that were accessed and lived at one time
  uint64_t Lives = 0;         ///< pages, from their first access to their free
  uint64_t OwnedAccesses = 0; ///< to pages of one context
  uint64_t Closes = 0, Reopens = 0;
  uint64_t ScanEvery = 0;
  std::vector<double> Ratios, Copies;
  std::vector<TierSize> Sizes;
};

/// Opens the trace anew: it is read twice.
using TraceOpener = std::function<Result<TraceReader>()>;

/// Memory: what lives at one time for each size and policy, and 8 bytes for
/// each page in each of 400 slices in which it is accessed.
Result<TierReport> tierReplay(const TraceOpener &Open, const TypeGraph &Graph,
                              const TierOptions &Options);

Document describe(const TierReport &R);

/// schema/kst-contexts-replay-1.schema.json
std::string toJson(const TierReport &R, const ToolId &Tool);

} // namespace kst
