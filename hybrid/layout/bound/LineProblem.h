// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is left of a layout when only the lines count: items to be put on lines,
// and what a line with these items costs. Every legal layout leads to a
// feasible point of this problem that costs no more than the layout, so a lower
// bound on it is one on the cost of every order (docs/design/layout.md,
// "Bound").
//
// A layout gives each line L the set S_L of fields with touched bits in it:
//   cost >= sum over lines: c(S_L) + padding
//   c(S) = sum_s w_s k (1 - prod over f in S: (1 - p_sf))
//          + t * lost(S)                                    (LayoutCost.h)
// c is monotone, so leaving out fields, sets or touches only lowers it.

#pragma once

#include "hybrid/affinity/LayoutCost.h"
#include "hybrid/layout/Constraints.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kst {

/// A field as lines see it, or several that are always on one line.
struct LineItem {
  std::vector<uint32_t> Fields;
  uint32_t Bits = 0;   ///< that it takes of the line it is whole on
  bool Splits = false; ///< may cross a line boundary
  /// Bits on either side of the boundary are a multiple of this, if its size
  /// is; at least as many in any case. Less than Bits if it splits.
  uint32_t Grain = 1;
  /// Larger than a line: only its first byte counts, and nothing follows it on
  /// the line where it starts. One on each line at most.
  bool Large = false;
  bool Flexible = false;   ///< a flexible array: last, one at most
  bool StartsLine = false; ///< aligned to a line: one on each line at most
  /// Indices into LineProblem::group(): items of groups too far apart never
  /// meet. Filled in from the zones that immovable fields cut.
  uint32_t Group = 0;
};

/// Immutable; holds no reference to what it was made from.
class LineProblem {
public:
  /// `Drop`: share of the summed cost of single fields that may be left out
  /// (the coldest fields and the weakest touches), for speed. `MostItems`: only
  /// this many of the hottest fields. `FrozenBits`: see FrozenLines; the fields
  /// that start below are left out.
  LineProblem(const RecordInfo &Record, const LayoutCost &Model,
              const Constraints &Rules, double Drop, uint32_t MostItems = ~0u,
              uint64_t FrozenBits = 0);

  struct Touch {
    uint32_t Other; ///< a set, or an item
    double P, W;    ///< chance of a touch, of a write
  };
  uint32_t itemCount() const { return static_cast<uint32_t>(Items.size()); }
  const LineItem &item(uint32_t I) const { return Items[I]; }
  /// By decreasing cost of the item alone.
  const std::vector<LineItem> &items() const { return Items; }
  size_t setCount() const { return Weights.size(); }
  double weight(size_t S) const { return Weights[S]; }
  const GroupVisits &meeting(size_t S) const { return Meetings[S]; }
  /// t * lost() of a line.
  double sharing(const LineUse &Line) const {
    return LostCycles * lostVisits(Line, How);
  }
  /// The same of what more use, up to Most, adds to it at least (lostSlopes).
  LineUse sharingSlopes(const LineUse &From, const LineUse &Most) const {
    return lostSlopes(From, Most, How) * LostCycles;
  }
  std::span<const Touch> setsOf(uint32_t I) const {
    return {ItemTouches.data() + ItemBegin[I], ItemBegin[I + 1] - ItemBegin[I]};
  }
  std::span<const Touch> itemsOf(size_t S) const {
    return {SetTouches.data() + SetBegin[S], SetBegin[S + 1] - SetBegin[S]};
  }
  /// c({I}).
  double alone(uint32_t I) const { return Alone[I]; }
  uint32_t lineBits() const { return LineBits; }
  /// Lines that can hold active fields unless padding is paid for, and the
  /// price of each further one. A flexible array by itself on a line may lie
  /// behind the record: that line is not counted.
  double freeLines() const { return FreeLines; }
  double linePrice() const { return LinePrice; }
  /// What padding costs in any order; not part of the prices above.
  double forcedCost() const { return ForcedCost; }
  /// Lines that padding can add to these at most, whatever the order.
  double extraLines() const { return ExtraLines; }
  /// May both be on one line?
  bool mayMeet(uint32_t I, uint32_t J) const;
  /// c of a set of items.
  double cost(std::span<const uint32_t> Members) const;

private:
  void describe(const RecordInfo &Record, const LayoutCost &Model,
                const Constraints &Rules, uint64_t FrozenBits);
  void link(const LayoutCost &Model, double Drop, uint32_t MostItems);
  void countLines(const RecordInfo &Record, const LayoutCost &Model,
                  const Constraints &Rules, uint64_t FrozenBits);

  uint32_t LineBits = 512;
  std::vector<LineItem> Items;
  double LostCycles;
  Turns How;
  std::vector<double> Weights, Alone;
  std::vector<GroupVisits> Meetings;
  std::vector<Touch> ItemTouches, SetTouches;
  std::vector<size_t> ItemBegin{0}, SetBegin{0};
  std::vector<uint64_t> GroupBits; ///< bits of all fields of a zone
  double FreeLines = 0, ExtraLines = 0, LinePrice = 0, ForcedCost = 0;
};

} // namespace kst
