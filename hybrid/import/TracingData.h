// SPDX-License-Identifier: GPL-2.0-or-later
//
// What trace-cmd and perf both store of the kernel's tracing: how its ring
// buffer is laid out, and the formats of its events
// (trace-cmd.dat.v6(5) and v7(5)).

#pragma once

#include "hybrid/import/ForeignBytes.h"
#include "hybrid/import/Tracepoints.h"

namespace kst {

inline constexpr std::string_view TracingMagic("\x17\x08\x44tracing", 10);

/// The first bytes, and what the header page says.
struct TracingHead {
  std::string_view Version;
  bool Big = false;
  uint32_t PageBytes = 0;
  /// Of the kernel: of a number that says how full a page of the buffer is.
  uint32_t LongBytes = 8;
};

/// Of bytes from the first one on; In walks on in the right byte order. False:
/// it does not begin so, or is cut short.
bool takeTracingHead(std::string_view Bytes, TracingHead &Head,
                     ForeignBytes &In);
/// The texts header_page and header_event.
bool takeHeaderInfo(ForeignBytes &In, TracingHead &Head);
/// Events of ftrace itself, which nobody needs here.
bool skipFtraceFormats(ForeignBytes &In);
bool takeEventFormats(ForeignBytes &In, Tracepoints &Formats);

/// The part of a perf.data that has all this. What is wrong with it, or "".
std::string readTracingData(std::string_view Bytes, Tracepoints &Formats,
                            uint32_t &PageBytes);

} // namespace kst
