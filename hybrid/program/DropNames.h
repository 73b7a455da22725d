// SPDX-License-Identifier: GPL-2.0-or-later
//
// The reasons, in words, why accesses of a record were not counted.

#ifndef KST_HYBRID_PROGRAM_DROPNAMES_H
#define KST_HYBRID_PROGRAM_DROPNAMES_H

#include "hybrid/program/Program.h"
#include "hybrid/program/Visits.h"

#include <map>
#include <string>

namespace kst {

/// Counts by reason for one record: what the front end dropped in any unit
/// and what the linker dropped. Reasons that never occurred are absent.
std::map<std::string, uint64_t>
dropCounts(const Program &Whole, RecordId Record, const LinkDrops &Drops);

} // namespace kst

#endif
