// SPDX-License-Identifier: GPL-2.0-or-later
//
// A trace: single accesses in order, of all CPUs or threads that ran. What is
// known of the program (its structs, the sites with the number of their
// events, texts about the run) has the form of a profile.

#ifndef KST_HYBRID_TRACE_TRACE_H
#define KST_HYBRID_TRACE_TRACE_H

#include <cstdint>

namespace kst {

struct TraceEvent {
  uint64_t Time = 0; ///< of a clock that all streams share; its own unit
  /// Of the place that the site names: less Site's offset, the object; of what
  /// was accessed, if the site has no struct.
  uint64_t Address = 0;
  /// Events of this stream that were lost between the one before and this.
  uint64_t LostBefore = 0;
  uint32_t Site = 0;   ///< into the sites of the trace
  uint32_t Stream = 0; ///< CPU or thread
  bool operator==(const TraceEvent &) const = default;
};

inline constexpr uint32_t NoCpu = ~0u;

/// An object of a selected struct, or Number of them behind one another.
struct TraceObject {
  uint64_t Address = 0;
  uint32_t SizeBytes = 0; ///< of one
  uint32_t Number = 1;
  uint32_t Struct = 0;  ///< into the structs of the trace
  uint32_t Cpu = NoCpu; ///< whose per-CPU object it is
  bool operator==(const TraceObject &) const = default;
};

/// The object that an event went to.
struct TracePlace {
  uint32_t Struct = ~0u;    ///< NoStruct: none that is known
  uint32_t OffsetBytes = 0; ///< of the access in it
  uint64_t Object = 0;      ///< its address
  uint32_t Cpu = NoCpu;     ///< its owner, if it is a per-CPU object
};

} // namespace kst

#endif
