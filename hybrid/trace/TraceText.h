// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `trace dump` prints: one line for each event.

#ifndef KST_HYBRID_TRACE_TRACETEXT_H
#define KST_HYBRID_TRACE_TRACETEXT_H

#include "hybrid/trace/ObjectTable.h"
#include "hybrid/trace/TraceReader.h"

#include <string>

namespace kst {

/// Keeps a reference to the trace.
class TraceText {
public:
  /// Only events of objects of Struct; all if it is empty.
  TraceText(const TraceReader &Trace, std::string Struct)
      : Trace(Trace), Struct(std::move(Struct)), Objects(Trace.tables()) {}

  /// Lines that begin with '#': about the run, and the columns.
  std::string head() const;
  /// Appends the event, and before it a line with what was lost there:
  ///   time stream address place size r|w|rw|... function file:line
  /// place: struct+offset, with #number behind it if the object's allocation
  /// was seen; '-' if the address leads into no object known. Other events than
  /// accesses have their name in place of r, and more words at the end. False,
  /// and only the losses, if it has nothing to do with the struct. To be called
  /// for every event in order.
  bool line(const TraceEvent &E, std::string &Out);
  /// What was lost in all, and whether the end is there.
  std::string foot() const;

private:
  bool wanted(const TracePlace &Place) const;
  void putPlace(const TracePlace &Place, std::string &Out) const;

  const TraceReader &Trace;
  std::string Struct;
  ObjectTable Objects;
};

} // namespace kst

#endif
