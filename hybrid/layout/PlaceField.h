// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where a field that does not exist yet should go: every gap between two move
// units of the present order is tried and priced, an existing hole first among
// equals. Nothing else moves but what the new field pushes on.
//
// Assumptions about the new field n, all of them:
//  - a visit uses it with p_s(n) = max p_s(f) over the fields f it is used
//    with, and reads it once if it does;
//  - Writer::Local: every visit that is not known to be remote also writes it,
//    WriteShare times each time it uses it;
//  - Writer::Remote: other CPUs write it, and touch nothing else by that, in
//    WriteShare * sum_s w_s p_s(n) visits;
//  - the cost formula of LayoutCost.h holds for
//    the record with the field as for the one without. The change of the cost
//    is the cost of the record with the field and these visits less the cost
//    of the present record.

#pragma once

#include "hybrid/layout/LayoutProblem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

enum class Writer { None, Local, Remote };

struct NewField {
  /// The field in each configuration: size and alignment may differ.
  std::vector<FieldInfo> Shapes;
  std::vector<uint32_t> UsedWith; ///< indices into LayoutProblem::record()
  Writer Writes = Writer::None;
  double WriteShare = 0.1; ///< >= 0
};

/// What a place means in one configuration.
struct GapInConfig {
  uint64_t OffsetBits = 0; ///< of the new field
  uint64_t SizeBytes = 0;  ///< of the record with it
  int64_t Grows = 0;       ///< bytes
  /// Bits unused so far between what lies before and after; at the end the
  /// padding.
  uint64_t HoleBits = 0;
  /// Other fields that get another offset, and those of them that get to other
  /// lines of an instance that starts on a line.
  uint32_t Shifted = 0, LinesChanged = 0;
  Cost Change;
  /// The record does not grow and no other field moves.
  bool fits() const { return !Grows && !Shifted; }
};

struct Gap {
  static constexpr uint32_t Front = ~0u;
  uint32_t After = Front;      ///< field before it, or Front
  bool End = false;            ///< after everything but a flexible array
  std::vector<GapInConfig> In; ///< one per configuration
  /// Share-weighted change of the cost over all configurations.
  double Change = 0;
  std::vector<std::string> Notes; ///< what to look at before taking it
  bool fits() const;
};

struct PlaceAdvice {
  /// sum_s w_s p_s(n) of the first configuration: visits that use the field,
  /// without those that only write it. 0: nothing is known about its use, and
  /// Gaps holds all gaps by the bytes they cost.
  double Visits = 0;
  bool Evidence = false; ///< some visit of some configuration uses it
  Cost Now;              ///< of the present record, first configuration
  /// Of the changes, what every place costs alike: visits that only write the
  /// field touch one line. First configuration.
  double Everywhere = 0;
  std::vector<Gap> Gaps; ///< best first
  /// Why the order of the present fields is fixed altogether, if it is, and
  /// which places rules of the source close.
  std::vector<std::string> Notes;
};

/// Gaps whose costs differ by less than this share of the present cost are
/// equals: of those, one that fits comes first, then the one that lets the
/// record grow least, then the one that changes the lines of the fewest fields.
inline constexpr double EqualCostShare = 0.001;

/// Fails when no place can be told: a union, __randomize_layout, a name that
/// the record has already. Deterministic.
Result<PlaceAdvice> placeField(const LayoutProblem &Problem,
                               const NewField &Field);

} // namespace kst
