// SPDX-License-Identifier: GPL-2.0-or-later
//
// A struct before and after a change: which field is which, what both layouts
// cost, and who lies beside whom. Findings are made from it.

#pragma once

#include "hybrid/affinity/Conflicts.h"
#include "hybrid/review/FieldPairs.h"
#include "hybrid/review/LayoutPrices.h"
#include "hybrid/review/ReviewStruct.h"

#include <string>
#include <vector>

namespace kst {

/// A named field on some line of another field in the head.
struct LineMate {
  uint32_t Field = 0;
  double Share = 0;    ///< of the struct's cost: visits that lose the line
  bool Before = false; ///< they shared a line in the base, too
};

/// Fields are those of the head unless it says otherwise.
class ComparedStruct {
public:
  using Fields = LayoutPrices::Fields;

  /// Keeps references to both.
  ComparedStruct(const StructVersions &Versions, const ReviewOptions &Options);

  const StructVersions &Versions;
  const ReviewOptions &Options;
  const AffinityEvidence &Head;
  const RecordInfo &Base, &Record; ///< definitions in base and head
  const SharingOptions Sharing;
  const FieldPairs Pairs;
  const LayoutPrices Prices;
  const double Visits; ///< of the head
  const double Total;  ///< cost of the head's layout under all visits

  uint32_t fieldCount() const {
    return static_cast<uint32_t>(Record.Fields.size());
  }
  const std::string &name(uint32_t F) const { return Record.Fields[F].Name; }
  /// Not one of padding, markers and anonymous members without a field.
  bool isReal(uint32_t F) const {
    return !name(F).empty() && Record.Fields[F].SizeBits;
  }
  bool isNew(uint32_t F) const { return Pairs.BaseOf[F] == NoField; }
  bool isMoved(uint32_t F) const { return Pairs.Moved[F]; }
  /// It is of another size.
  bool isGrown(uint32_t F) const {
    return !isNew(F) &&
           Base.Fields[Pairs.BaseOf[F]].SizeBits != Record.Fields[F].SizeBits;
  }
  /// What the diff is about.
  bool isCause(uint32_t F) const {
    return isNew(F) || isMoved(F) || isGrown(F);
  }
  Fields newFields() const;

  /// Fields on some line of the field, in the head's and in the base's layout.
  Fields beside(uint32_t F) const { return Prices.beside(Prices.head(), F); }
  Fields besideBefore(uint32_t F) const {
    return Prices.beside(Prices.base(), F);
  }
  /// The named ones of beside(), costliest first.
  std::vector<LineMate> lineMates(uint32_t F) const;
  /// "3": the line on which the field starts.
  std::string lineOf(const Layout &Plan, uint32_t F) const;

  /// Of the cost of the head.
  double share(double Cost) const { return Total > 0 ? Cost / Total : 0; }
  double perVisit(double Count) const {
    return Visits > 0 ? Count / Visits : 0;
  }

  /// A finding of this share about the struct; its grade goes by the share, and
  /// is low for a struct that is hardly visited.
  Finding finding(FindingKind Kind, double Share) const;
  /// The same about one field.
  Finding finding(FindingKind Kind, double Share, uint32_t F) const;

private:
  Conflicts Clash;
};

} // namespace kst
