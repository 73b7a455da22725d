// SPDX-License-Identifier: GPL-2.0-or-later
//
// A raw trace and the tables of the program that ran, joined to a trace.

#ifndef KST_HYBRID_IMPORT_TRACEJOIN_H
#define KST_HYBRID_IMPORT_TRACEJOIN_H

#include "hybrid/import/CounterTable.h"
#include "hybrid/import/RawLives.h"
#include "hybrid/trace/TraceWriter.h"

namespace kst {

/// What was written, and what did not fit.
struct TraceNotes {
  uint64_t Events = 0; ///< accesses that were written
  uint64_t Allocations = 0, Frees = 0;
  uint64_t Lost = 0;    ///< by the recorder
  uint64_t Unknown = 0; ///< of units without a table, or of no unit: left out
  uint64_t OtherLines = 0; ///< of a log in words
  uint32_t Streams = 0;
  uint32_t Units = 0, UnitsWithoutTable = 0;
};

/// Walks the raw trace three times: for its units, to count, and to write; once
/// more for the types of objects, if it tells of lives. Names: of who allocates
/// and frees. Label replaces that of the recording unless it is empty. Events
/// that are left out count as lost where they were. A Failure if the raw trace
/// is damaged, has events and no unit fits any table, has more than
/// MaxTraceStreams streams, or the sink fails; what the sink got is then of no
/// use. Memory: that of the tables and of the objects that live at one time,
/// whatever the number of events.
Result<TraceNotes> joinTrace(std::string_view Raw,
                             const std::vector<CounterTable> &Tables,
                             const std::string &Label, TraceWriter::Sink To,
                             const CallerNames &Names = {});

} // namespace kst

#endif
