// SPDX-License-Identifier: GPL-2.0-or-later
//
// The program's frequencies after measurements: estimates where nothing was
// counted, counts where it was, in one unit (docs/design/measured.md).

#pragma once

#include "hybrid/evidence/PooledCounts.h"
#include "hybrid/program/CodeFrequencies.h"
#include "hybrid/program/Frequencies.h"

#include <span>
#include <vector>

namespace kst {

struct MergeOptions {
  /// False: measured only; estimates have no strength and code that was not
  /// covered no weight.
  bool Prior = true;
  /// Strength of the estimate of a block, in calls of its function.
  double BlockStrength = 2;
  /// Strength of the estimate of code that was not reached, in workloads.
  double UnreachedStrength = 2;
  /// What code that was counted and never ran may make of all accesses, at
  /// most, after one workload; after more it is less (Posterior.h). In eight
  /// workloads on rq and cfs_rq, code that one did not reach made 3 % of the
  /// accesses of the others.
  double UnreachedAtMost = 0.03;
  /// What code that no counter could see may make of all accesses, at most.
  double UnseenAtMost = 1;
  /// Add profiles up as they are; else each counts as if all were equally long.
  bool Pool = false;
};

/// What is known about the number of calls of one function.
struct FunctionRate {
  Origin From = Origin::Static;
  double Counted = 0;       ///< entries as read, over all profiles
  double MeasuredShare = 0; ///< 0..1
  double IdleShare = 0;     ///< 0..1: calls in or from code that never ran
  double Referenced = 0;    ///< 0..1: not measured, but seen by the reference
  double Static = 0;        ///< the estimate, in the unit of the result
  /// As factors of the result: 95 % of what was measured; from code that was
  /// not seen nothing at least, its estimate at most.
  double Low = 1, High = 1;
};

/// The same number means the same thing in all of it: calls in one run of
/// average length.
struct MeasuredCode {
  Frequencies Often;
  CodeFrequencies Code;
  std::vector<FunctionRate> Rates; ///< by FunctionId
  Scale Unit;                      ///< of the estimates
  std::vector<double> Factors;     ///< of each profile's counts
  std::vector<double> Shares;      ///< of each profile, adding up to 1
  double IdleAtMost = 1;           ///< what IdleShare may make of all accesses
};

/// Static: what is estimated of the program. Weights: one for each profile, >
/// 0. AccessBlocks: the blocks of the accesses of the struct, by FunctionId; in
/// these functions a profile would show sites. Deterministic.
MeasuredCode
measuredCode(const Program &Whole, const Estimate &Static,
             std::span<const MatchedProfile> Profiles,
             std::span<const double> Weights,
             const std::vector<std::vector<uint32_t>> &AccessBlocks,
             const MergeOptions &Options);

} // namespace kst
