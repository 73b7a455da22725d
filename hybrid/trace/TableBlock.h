// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tables of a trace as its first block.

#ifndef KST_HYBRID_TRACE_TABLEBLOCK_H
#define KST_HYBRID_TRACE_TABLEBLOCK_H

#include "hybrid/core/Result.h"
#include "hybrid/trace/TraceFile.h"
#include "hybrid/trace/TraceTables.h"

#include <string>
#include <string_view>

namespace kst {

/// Null, or the rule that the tables break: numbers lead into the tables,
/// objects have a size and are sorted by address.
const char *checkTables(const TraceTables &Tables);

/// Head and bytes of the block.
std::string tableBlock(const TraceTables &Tables);
/// Tables that keep the rules, or what is wrong with the block.
Result<TraceTables> readTableBlock(const TraceBlockHead &Head,
                                   std::string_view Bytes);

} // namespace kst

#endif
