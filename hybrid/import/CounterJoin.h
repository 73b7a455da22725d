// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counters of a run and the tables of the program that ran, joined to a
// profile.

#pragma once

#include "hybrid/core/MemberName.h"
#include "hybrid/import/CounterTable.h"
#include "hybrid/import/RawCounters.h"
#include "hybrid/profile/Profile.h"

namespace kst {

/// What did not fit, or not quite.
struct JoinNotes {
  uint32_t UnitsJoined = 0;
  uint32_t UnitsWithoutTable = 0;     ///< in the raw file, in no table
  uint32_t TablesWithoutCounters = 0; ///< never ran: their counters are zero
  uint32_t NegativeRegions = 0;       ///< sums below zero, taken as zero
  uint32_t ObjectsWithoutStruct = 0;  ///< counts by address of a struct that no
                                      ///< table has in that size
};

struct JoinedCounters {
  Profile What;
  JoinNotes Notes;
};

/// Members of structs, by name and size of the struct.
using NamesOfMembers = std::map<std::pair<std::string, uint64_t>, MemberNames>;

/// The profile of one run. Tables of one hash count once. A unit with a table
/// and without counters never ran: its counters are zero. Region counts are
/// exact sums of their counters; a site has the counts of the regions that
/// refer to it; equal sites of different units are one. A Failure if no unit
/// fits any table, a unit has another number of counters than its table says,
/// a number in the header's text is none, or a count does not fit 64 bits.
/// Names: those the program's debug information has, at any depth.
Result<JoinedCounters> joinCounters(const RawCounters &Raw,
                                    const std::vector<CounterTable> &Tables,
                                    const NamesOfMembers &Names = {});

} // namespace kst
