// SPDX-License-Identifier: GPL-2.0-or-later
//
// What no policy of two tiers can beat, though it knew the future.

#pragma once

#include "hybrid/contexts/TierPages.h"

namespace kst {

/// Collects accesses by page and slice of time, and bounds the cost of any
/// policy from below.
///
/// The room of the fast tier has a price for each end of a slice (Lagrange's
/// multipliers, moved by subgradients); at given prices each page by itself
/// chooses the cheapest way through its life, exactly, by dynamic programming.
/// The sum, less the price of all the room, is a bound at any prices; the best
/// one found is the answer. Within a slice room is not limited, and a page may
/// come up for its accesses and go down again for two copies: that only lowers
/// the bound. Memory: 8 bytes for each page in each slice that accesses it.
class TierBound {
public:
  explicit TierBound(uint32_t Slices) : Slices(Slices) {}

  /// Slices do not go back. A page begins, is accessed, ends.
  void begin(TierPage Page, uint32_t Slice);
  void access(TierPage Page, uint32_t Slice);
  void end(TierPage Page, uint32_t Slice);

  /// As TierCounts::cost() has it.
  double bound(uint64_t FastPages, double Ratio, double Copy) const;

private:
  struct Use {
    uint32_t Slice, Number;
  };
  struct Life {
    std::vector<Use> Uses;
  };
  const uint32_t Slices;
  std::vector<Life> Lives;
  std::vector<uint32_t> LifeOf; ///< by page
};

} // namespace kst
