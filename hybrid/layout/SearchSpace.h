// SPDX-License-Identifier: GPL-2.0-or-later
//
// What every search over orders works on: the rules, the offsets they lead to
// and the price of those. Seeds, local search and frontier share it.

#ifndef KST_HYBRID_LAYOUT_SEARCHSPACE_H
#define KST_HYBRID_LAYOUT_SEARCHSPACE_H

#include "hybrid/layout/Constraints.h"
#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/layout/LayoutCost.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kst {

/// An order of units: Result[i] is the index of the i-th unit in memory.
using UnitOrder = std::vector<uint32_t>;

/// Per-unit figures that searches ask for again and again.
struct UnitShape {
  uint64_t SizeBytes = 0; ///< bit-field run: rounded up
  uint64_t AlignBytes = 1;
  double Heat = 0;     ///< sum over its fields of expected visits
  bool Active = false; ///< some set touches it
};

/// Immutable; keeps references to the rules and the model.
class SearchSpace {
public:
  SearchSpace(const RecordInfo &Record, const Constraints &Rules,
              const LayoutCost &Model);

  const Constraints &rules() const { return Rules; }
  const LayoutCost &model() const { return Model; }
  const FieldOffsets &offsets() const { return Offsets; }
  const UnitShape &shape(uint32_t Unit) const { return Shapes[Unit]; }
  uint32_t unitCount() const { return static_cast<uint32_t>(Shapes.size()); }

  UnitOrder declared() const;
  Layout layout(std::span<const uint32_t> Order) const {
    return Offsets.layout(Rules.fields(Order));
  }
  double price(std::span<const uint32_t> Order) const {
    return Model.price(layout(Order)).total();
  }
  /// Units that a search may pick up and that the evidence speaks of, hottest
  /// first, ties by index.
  const std::vector<uint32_t> &activeUnits() const { return Active; }

private:
  const Constraints &Rules;
  const LayoutCost &Model;
  FieldOffsets Offsets;
  std::vector<UnitShape> Shapes;
  std::vector<uint32_t> Active;
};

} // namespace kst

#endif
