// SPDX-License-Identifier: GPL-2.0-or-later
//
// The file form of a trace, .kstt: what `trace import` writes, from which
// windows are computed. Self-contained: the program is not needed any more.
// TraceWriter.h and TraceReader.h are what to call.
//
// Little-endian. 16 bytes of header: magic "KSTTRACE", u32 version, u32 0. Then
// blocks, each some events of one stream, in the order in which they came.
// Then, at a multiple of 8: the bytes of a profile (ProfileFile.h) with sites,
// structs and texts about the run; the table of objects; the table of blocks
// (TableBytes.h; rows as TraceObject and TraceBlock). Last, 32 bytes of footer:
// u64 offset of the profile, u64 its size, u64 XXH3 of everything from the
// profile to here, magic "KSTTREND".
//
// An event is three numbers, each the difference to a base, as zigzag LEB128:
// time, base: that of the event before; site, likewise; address, base: that of
// the last event whose site has the same six lowest bits. Bases are 0 where a
// block begins.

#ifndef KST_HYBRID_TRACE_TRACEFILE_H
#define KST_HYBRID_TRACE_TRACEFILE_H

#include "hybrid/trace/Trace.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kst {

inline constexpr uint32_t TraceFormatVersion = 1;
inline constexpr uint32_t MaxTraceStreams = 1 << 16;

/// Where a block is. Rows in the order of the file.
struct TraceBlock {
  uint64_t Offset = 0;
  uint64_t Checksum = 0; ///< XXH3 of its bytes
  /// The least time that the block has in the merged order: no event of a
  /// stream comes before those that precede it in its stream.
  uint64_t FirstTime = 0;
  uint64_t LostBefore = 0; ///< before its first event
  uint32_t Bytes = 0, Events = 0;
  uint32_t Stream = 0, Zero = 0;
};

inline constexpr char TraceMagic[9] = "KSTTRACE", TraceEndMagic[9] = "KSTTREND";
inline bool looksLikeTrace(std::string_view Bytes) {
  return Bytes.starts_with(std::string_view(TraceMagic, 8));
}

struct TraceHeader {
  char Magic[8];
  uint32_t Version;
  uint32_t Zero;
};
struct TraceFooter {
  uint64_t AboutOffset;
  uint64_t AboutBytes;
  uint64_t Checksum;
  char Magic[8];
};
static_assert(sizeof(TraceHeader) == 16 && sizeof(TraceFooter) == 32 &&
              sizeof(TraceBlock) == 48 && sizeof(TraceObject) == 24);

inline constexpr uint32_t EventsPerTraceBlock = 4096;

/// What differences are taken to.
struct TraceBase {
  static constexpr size_t Addresses = 64;
  uint64_t Time = 0;
  uint32_t Site = 0;
  uint64_t Address[Addresses] = {};
};

} // namespace kst

#endif
