// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `trace dump` prints: one line for each event.

#ifndef KST_HYBRID_TRACE_TRACETEXT_H
#define KST_HYBRID_TRACE_TRACETEXT_H

#include "hybrid/trace/TraceReader.h"

#include <string>

namespace kst {

/// Keeps a reference to the trace.
class TraceText {
public:
  /// Only events that went to Struct; all if it is empty.
  TraceText(const TraceReader &Trace, std::string Struct)
      : Trace(Trace), Struct(std::move(Struct)) {}

  /// Lines that begin with '#': about the run, and the columns.
  std::string head() const;
  /// Appends the event, and before it a line with what was lost there:
  ///   time stream address struct+offset size r|w|rw|... function file:line
  /// False, and only the losses, if it did not go to the struct. An address
  /// that leads into no object known has '-' for its place.
  bool line(const TraceEvent &E, std::string &Out) const;
  /// What was lost in all.
  std::string foot() const;

private:
  const TraceReader &Trace;
  std::string Struct;
};

} // namespace kst

#endif
