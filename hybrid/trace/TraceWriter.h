// SPDX-License-Identifier: GPL-2.0-or-later
//
// Traces into files, front to back.

#ifndef KST_HYBRID_TRACE_TRACEWRITER_H
#define KST_HYBRID_TRACE_TRACEWRITER_H

#include "hybrid/profile/Profile.h"
#include "hybrid/trace/TraceFile.h"

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace kst {

/// Writes a trace front to back, holding one block and the table of blocks.
class TraceWriter {
public:
  /// Takes bytes in the order of the file; returns false if it cannot, and is
  /// not called again then.
  using Sink = std::function<bool(std::string_view)>;
  explicit TraceWriter(Sink To);
  ~TraceWriter();

  /// Events of one stream in their order; streams in any. Best many of one
  /// stream behind one another. At most MaxTraceStreams streams.
  void event(const TraceEvent &E);
  /// Ends the file. False if the sink failed. Sites of events are those of
  /// About; objects are sorted by address.
  bool finish(const Profile &About, const std::vector<TraceObject> &Objects);

private:
  struct State;
  std::unique_ptr<State> S;
};

} // namespace kst

#endif
