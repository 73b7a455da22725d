// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which fields of the proposed layout deserve a cacheline group of their own,
// and what to call it: for --markers.

#pragma once

#include "hybrid/fieldorder/Report.h"

#include <string>
#include <vector>

namespace kst {

/// A line becomes a group from this share of all accesses on, and no more than
/// so many lines do.
inline constexpr double UsedTogetherShare = 0.05;
inline constexpr size_t UsedTogetherGroups = 6;

struct UsedTogether {
  /// A C identifier, unique among the groups of the record, those included
  /// that it has already: RECORD_ACCESS_FUNCTION. ACCESS is what all accesses
  /// of Fields come to: read, read_mostly, rw or write, as accessMark() tells
  /// them apart. FUNCTION owns the visits to which the line saves most, its
  /// leading underscores left out. A number is added to a name that exists.
  std::string Name;
  uint32_t Line = 0;            ///< of the proposed layout
  double Share = 0;             ///< of all accesses, of the line
  std::vector<uint32_t> Fields; ///< used together; in memory order, two or more
};

/// Of each line of the proposed layout (first configuration) with
/// UsedTogetherShare of all accesses: the fields that lie wholly on it and that
/// some visit uses together with another one there. Hottest line first; ties
/// by line. Members without size and flexible arrays are in no group.
std::vector<UsedTogether> usedTogether(const Report &R);

} // namespace kst
