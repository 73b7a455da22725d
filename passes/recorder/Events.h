// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the parts of the recorder share: events with their members, and how
// large a stack of the kernel is.

#ifndef KST_PASSES_RECORDER_EVENTS_H
#define KST_PASSES_RECORDER_EVENTS_H

#include "hybrid/trace/Trace.h"

namespace kst {

/// A stack is no larger: what is farther from a return address is not on it.
inline constexpr uint64_t MostStackBytes = 32 << 10;

/// An event of no site, time or stream.
inline TraceEvent event(EventKind Kind, uint64_t Address, uint64_t SizeBytes,
                        uint32_t Info, uint64_t Value = 0, uint64_t Index = 0) {
  TraceEvent E;
  E.Kind = Kind;
  E.Address = Address;
  E.SizeBytes = static_cast<uint32_t>(SizeBytes);
  E.Info = Info;
  E.Value = Value;
  E.Index = Index;
  E.Site = NoTraceSite;
  return E;
}

} // namespace kst

#endif
