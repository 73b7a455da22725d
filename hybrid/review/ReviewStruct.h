// SPDX-License-Identifier: GPL-2.0-or-later
//
// One struct before and after a change, in one configuration: what the change
// of its layout, or of the code that uses it, costs. Layouts are compared under
// the same visits, those of the head: so a function that was renamed, or whose
// estimated rate is another, is no finding. The formula is that of
// LayoutCost.h.
//
// With L the head's layout, B the base's (fields that are new apart from all
// others), S the sets and S' those without touches of new fields:
//
//   false-sharing   sharing that goes away if the field had lines of its own,
//                   in L less in B;
//   write-added     the same in L, with S less with S without the new writes;
//   hot-line-grew   lines that S' touches in L less those in B;
//   better-place    cost of L less that of the cheapest legal order that has
//                   only this field elsewhere.
//
// Each as a share of the cost of L under S; below ReviewOptions::MinShare
// nothing is said, but of writes on a line that was hardly written before.

#pragma once

#include "hybrid/layout/LayoutProblem.h"
#include "hybrid/review/AddedWrites.h"
#include "hybrid/review/Review.h"

#include <string>
#include <vector>

namespace kst {

/// Below `Low` a share of the struct's cost is nothing to say.
struct ReviewOptions {
  double MinShare = 0.01;
  double Medium = 0.03, High = 0.10;
  /// Writes must have become more by this factor for write-added.
  double MoreWrites = 1.25;
  /// A line is read-mostly with so many reads per write, and worth a word with
  /// so many reads per visit of the struct. A new or moved field, or an added
  /// write, that spoils one is a finding below MinShare too, if it is written
  /// more often than FewWrites per read of the line.
  double ReadMostly = 16, HotLine = 0.01, FewWrites = 0.001;
  /// A struct with fewer visits per call of any function is cold: what its
  /// layout costs matters to nobody, or is of a low grade.
  double Cold = 1e-7, Cool = 1e-5;
};

struct StructVersions {
  std::string Config, Triple;
  const RecordInfo *Base = nullptr; ///< never null; it may be the head's
  const AffinityEvidence *Head = nullptr;
  std::vector<AddedWrite> Added; ///< to fields of this struct
  double Calls = 0;              ///< of all functions, in the unit of weights
  LayoutOptions Layout;          ///< Rules: of the head's text
  /// Fields that a reader of the diff does not see change: only what they hold
  /// did.
  std::vector<std::string> Through;
};

struct ReviewedStruct {
  StructChange Change;
  std::vector<Finding> Findings;
};

/// Deterministic.
ReviewedStruct reviewStruct(const StructVersions &Of,
                            const ReviewOptions &Options = {});

} // namespace kst
