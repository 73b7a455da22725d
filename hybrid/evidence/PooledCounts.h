// SPDX-License-Identifier: GPL-2.0-or-later
//
// What all profiles together say about each function, in one unit: each
// profile counts as if it were as long as the average one.

#pragma once

#include "hybrid/evidence/Posterior.h"
#include "hybrid/evidence/ProfileMatch.h"

#include <map>
#include <span>
#include <vector>

namespace kst {

/// One function over all profiles.
struct PooledFunction {
  bool Counts = false;    ///< instrumented in some profile
  bool Elsewhere = false; ///< as of MatchedFunction
  double ShareSeen = 0;   ///< of the profiles that could see it
  double Raw = 0;         ///< entries as read
  Counted Entries;
  std::map<uint32_t, double> Blocks; ///< runs, same unit as Entries.Value
  bool reached() const { return Entries.Value > 0; }
  /// Whether its entries are the calls that the program makes of it.
  bool tellsCalls() const { return !(Elsewhere && reached()); }
};

struct PooledCounts {
  std::vector<PooledFunction> Functions; ///< by FunctionId
  std::vector<double> Factors;           ///< of each profile's counts
  std::vector<double> Shares;            ///< of each profile, adding up to 1
};

/// Weights: one for each profile, > 0. AddUp: counts as they are, by weight
/// alone. Profiles that could not see a function say nothing about it: the
/// others stand for them.
PooledCounts pooledCounts(const Program &Whole,
                          std::span<const MatchedProfile> Profiles,
                          std::span<const double> Weights, bool AddUp);

/// What one call of the function does, in accesses and calls: how samples,
/// which count time, become calls.
double workOfCall(const Program &Whole, FunctionId Id);

} // namespace kst
