// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a layout costs under the stated model (docs/design/price.md):
//
//   cost(L) = k * sum over sets s: w_s * E[lines of L touched by s]
//           + t * sum over lines: lost(line)                    (Sharing.h)
//           + k * lambda_pad * W * (lines(L) - minimum lines),  W = sum of w_s
//
// in cycles: k is what a line costs a visit if nobody took it, t what it costs
// more to get it back from another CPU (Machine.h).
//
// Assumptions, all of them:
//  - a visit touches each field independently with its own probability p, so
//    E[lines touched by s] = sum over lines: 1 - prod (1 - p) over the fields
//    of s whose extent reaches the line, and likewise the lines that it writes;
//  - the extent of a field is all of its bytes; of a field larger than a line,
//    and of a flexible array, the first byte of each place in it that a visit
//    is known to touch (Spot.h); where none is known, of the field;
//  - instances start at every multiple of their alignment modulo the line
//    equally often. E and "on one line" are averages over these starts.

#pragma once

#include "hybrid/affinity/Sharing.h"
#include "hybrid/core/CoAccessSet.h"
#include "hybrid/core/Layout.h"
#include "hybrid/core/Machine.h"
#include "hybrid/core/Record.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kst {

struct CostOptions {
  uint32_t LineBytes = 64; ///< a power of two
  /// Whose cycles. Commands take one of the table; this one is for formulas by
  /// hand.
  Machine On = lineMachine(4);
  /// Cost of a line beyond the minimum, as a share of all visits: one more
  /// line is worth it if it saves one of a hundred visits a line.
  double LambdaPad = 0.01;
  /// Alignment at which instances start; 0: the rule of instanceAlignment().
  uint32_t InstanceAlignBytes = 0;
};

/// Where instances of a record start when nobody says so. If slab caches are
/// made for it: at multiples of what divides the distance of their objects
/// (calculate_sizes() and calculate_alignment() of mm/slub.c). Else on a line
/// if they are longer than one and a half, as kmalloc()'s caches of more than
/// 96 bytes are 128, 192 and powers of two, which start on lines of 64 bytes
/// (with lines of 128, those above 192 do); shorter ones at the record's
/// alignment. Wrong for a record that others embed: then give
/// InstanceAlignBytes.
uint32_t instanceAlignment(const RecordInfo &Record, uint32_t LineBytes);

/// Bits from its offset on that an access of the field is taken to reach; 0:
/// the field occupies nothing and costs nothing.
uint64_t touchedBits(const FieldInfo &Field, uint32_t LineBytes);

/// The evidence about one record in the form the formula wants. Immutable;
/// safe to share between threads. Holds no reference to its inputs.
class LayoutCost {
public:
  LayoutCost(const RecordInfo &Record, std::span<const CoAccessSet> Sets,
             const CostOptions &Options = {},
             const SharingOptions &Sharing = {});

  /// The formula, evaluated from scratch; objects of slab caches begin where
  /// those of the plan's size do.
  Cost price(const Layout &Plan) const;

  uint32_t fieldCount() const { return static_cast<uint32_t>(Heat.size()); }
  /// Distinct sets: those with equal touches are one.
  size_t setCount() const { return Weights.size(); }
  /// Fields that a set touches.
  bool active(uint32_t Field) const { return Heat[Field] > 0; }
  /// Expected visits that touch the field.
  double heat(uint32_t Field) const { return Heat[Field]; }
  /// Sum of set weights.
  double visits() const { return Visits; }
  /// Start offsets of instances within a line, bytes; all equally often.
  const std::vector<uint32_t> &starts() const { return Starts; }
  /// Lines of the record without any padding between fields.
  uint64_t minimumLines() const { return MinimumLines; }
  const CostOptions &options() const { return Opts; }
  const Turns &turns() const { return How; }
  /// K: what visits pay if each touches one line.
  double visitCycles() const { return Visits * LineCycles; }
  /// What a record of so many bytes costs beyond its minimum of lines. A size
  /// with which the objects of slab caches begin elsewhere than at starts()
  /// costs one line a visit more: an order of that size is not searched for.
  double padding(uint64_t SizeBytes) const;
  /// k: cycles of a line that a visit touches and nobody took.
  double lineCycles() const { return LineCycles; }
  /// t: cycles that a line costs more that another CPU has taken.
  double lostCycles() const { return LostCycles; }
  /// What the use of one line costs beyond the lines that are touched.
  double sharing(const LineUse &Line) const {
    return LostCycles * lostVisits(Line, How);
  }
  /// No line that a visit touches costs more.
  double dearestLine() const { return LineCycles + LostCycles; }

  /// What accesses reach: extent F is the one of field F from its start, those
  /// from fieldCount() on are places in fields larger than a line.
  struct Extent {
    uint32_t Field;
    uint64_t OffsetBits; ///< from the field's start
    uint64_t Bits;       ///< 0: costs nothing
    bool operator==(const Extent &) const = default;
  };
  const std::vector<Extent> &extents() const { return Extents; }

  struct Touch {
    uint32_t Extent; ///< of fieldTouches(): the field
    double P;        ///< chance of a touch
    double W;        ///< chance of a write
  };
  /// Touches of distinct set S, by extent.
  std::span<const Touch> touches(size_t S) const {
    return {Touches.data() + SetBegin[S], SetBegin[S + 1] - SetBegin[S]};
  }
  /// Of these, those of fields from their start: what is sure to depend on the
  /// order.
  std::span<const Touch> fieldTouches(size_t S) const {
    return {Touches.data() + SetBegin[S], SetFields[S]};
  }
  /// w_s k: cycles for each line that its visits touch.
  double weight(size_t S) const { return Weights[S]; }
  const GroupVisits &meeting(size_t S) const { return Meetings[S]; }
  /// The distinct sets that touch the extent, ascending.
  const std::vector<uint32_t> &setsOf(uint32_t Extent) const {
    return ExtentSets[Extent];
  }
  /// Bits of the field's extent from its start.
  uint64_t extentBits(uint32_t Field) const { return Extents[Field].Bits; }

private:
  void setStarts(uint32_t Step);
  uint32_t stepOf(uint64_t SizeBytes) const;
  bool startsElsewhere(uint64_t SizeBytes) const;
  void addSets(std::span<const CoAccessSet> Sets, const RecordInfo &Record,
               const SharingOptions &Sharing);
  void addContention(std::span<const LineUse> ByField);

  CostOptions Opts;
  Turns How;
  std::vector<SlabInfo> Slabs; ///< empty: the size does not matter for starts
  std::vector<Extent> Extents;
  std::vector<Touch> Touches;
  std::vector<size_t> SetBegin{0}, SetFields;
  std::vector<double> Weights;
  std::vector<GroupVisits> Meetings;
  std::vector<std::vector<uint32_t>> ExtentSets;
  std::vector<double> Heat;
  double Visits = 0, LineCycles = 0, LostCycles = 0;
  uint64_t MinimumLines = 0;
  std::vector<uint32_t> Starts; ///< possible start offsets, bytes
};

} // namespace kst
