// SPDX-License-Identifier: GPL-2.0-or-later
//
// Prices of the two layouts of a struct that changed, under the head's visits.

#pragma once

#include "hybrid/layout/LayoutProblem.h"
#include "hybrid/review/FieldPairs.h"

#include <set>
#include <vector>

namespace kst {

class LayoutPrices {
public:
  /// Fields are those of `Head`. Keeps no reference.
  LayoutPrices(const RecordInfo &Base, const FieldPairs &Pairs,
               const AffinityEvidence &Head, const LayoutOptions &Options);

  /// Head and base layout; in the base, new fields have lines of their own.
  const Layout &head() const { return After; }
  const Layout &base() const { return Before; }
  /// All visits, or those without new fields.
  const LayoutCost &all() const { return All; }
  const LayoutCost &old() const { return Old; }

  using Fields = std::set<uint32_t>;
  /// What sharing a field adds by lying where it is while `Apart` have lines of
  /// their own: 0 if it is one of them.
  double harm(const LayoutCost &Model, const Layout &Plan, uint32_t Field,
              const Fields &Apart = {}) const;
  /// Fields that are on some line of the field, if instances start on one.
  Fields beside(const Layout &Plan, uint32_t Field) const;

private:
  Layout apart(Layout Plan, const Fields &Which) const;

  uint32_t LineBytes;
  std::vector<uint64_t> Bits; ///< of the fields
  Layout After, Before;
  Fields New;
  LayoutCost All, Old;
};

/// The sets without touches of these fields.
std::vector<CoAccessSet> withoutFields(std::vector<CoAccessSet> Sets,
                                       const std::set<uint32_t> &Fields);

} // namespace kst
