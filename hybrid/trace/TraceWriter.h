// SPDX-License-Identifier: GPL-2.0-or-later
//
// Traces into files, front to back.

#ifndef KST_HYBRID_TRACE_TRACEWRITER_H
#define KST_HYBRID_TRACE_TRACEWRITER_H

#include "hybrid/trace/TraceFile.h"
#include "hybrid/trace/TraceTables.h"

#include <functional>
#include <memory>
#include <string_view>

namespace kst {

/// Writes a trace front to back, holding a block for each stream. What was
/// written so far can be read at any time.
class TraceWriter {
public:
  /// Takes bytes in the order of the file; returns false if it cannot, and is
  /// not called again then.
  using Sink = std::function<bool(std::string_view)>;
  /// Tables as checkTables() wants them.
  TraceWriter(const TraceTables &Tables, Sink To);
  ~TraceWriter();

  /// Events of one stream in their order; streams in any. At most
  /// MaxTraceStreams streams.
  void event(const TraceEvent &E);
  /// What was lost of a stream since its last event.
  void lost(uint32_t Stream, uint64_t Events);
  /// A whole block of events that TraceBlockEncoder made, of a stream that has
  /// no events of other origin.
  void block(std::string_view Block, uint32_t Events);
  /// Ends the file. False if the sink failed.
  bool finish();

private:
  struct State;
  std::unique_ptr<State> S;
};

} // namespace kst

#endif
