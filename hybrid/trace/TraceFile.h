// SPDX-License-Identifier: GPL-2.0-or-later
//
// The file form of a trace, .kstt. Self-contained: the program is not needed
// any more. TraceWriter.h and TraceReader.h are what to call.
//
// Little-endian. 16 bytes of header: magic "KSTTRACE", u32 version, u32 0. Then
// blocks, each a TraceBlockHead and Bytes bytes, compressed by zstd. The first
// block has the tables: the bytes of a profile (ProfileFile.h) as a table of
// bytes, then the others of TraceTables in the order of that struct
// (TableBytes.h; an allocator is two numbers, names are texts behind them). The
// last is the end block. Between them are blocks of events, each of one stream;
// those of a stream in their order. A file whose recorder was killed ends
// anywhere: what was whole is read.
//
// Events of a block are columns, each with its length in bytes (u32) before
// the first one:
//   0  a byte each: 0x80 | Access << 5 | SizeBytes of an access, 31: the size
//   is
//      in column 4; or the kind of another event
//   1  time, as the difference to the event before
//   2  site, likewise; NoTraceSite counts as 2^32 - 1
//   3  address, as the difference to that of the last event whose site has the
//      same six lowest bits
//   4  SizeBytes where column 0 says so; for kinds other than Access SizeBytes,
//      Info, Value, Index
// Differences are zigzag LEB128, numbers LEB128; all begin at 0 with a block.

#ifndef KST_HYBRID_TRACE_TRACEFILE_H
#define KST_HYBRID_TRACE_TRACEFILE_H

#include <cstdint>
#include <string_view>

namespace kst {

/// 3 is 2 with PageState and PageDrain. Both are read, 3 is written.
inline constexpr uint32_t TraceFormatVersion = 3, OldestTraceVersion = 2;
inline constexpr uint32_t MaxTraceStreams = 1 << 16;
inline constexpr uint32_t EventsPerTraceBlock = 1 << 14;

enum class TraceBlockKind : uint32_t { Tables = 1, Events = 2, End = 3 };

struct TraceBlockHead {
  uint64_t Checksum = 0; ///< XXH3 of the compressed bytes
  /// The least time that the block has in the merged order: no event of a
  /// stream comes before those that precede it in its stream. Of the end block:
  /// the number of all events.
  uint64_t FirstTime = 0;
  /// Before its first event. A block without events says what was lost at the
  /// end of a stream.
  uint64_t LostBefore = 0;
  TraceBlockKind Kind = TraceBlockKind::Events;
  uint32_t Stream = 0, Events = 0;
  uint32_t Bytes = 0, RawBytes = 0; ///< compressed, and not
  uint32_t HeadCheck = 0;           ///< low half of XXH3 of all before it
};

inline constexpr char TraceMagic[9] = "KSTTRACE";
inline bool looksLikeTrace(std::string_view Bytes) {
  return Bytes.starts_with(std::string_view(TraceMagic, 8));
}

struct TraceHeader {
  char Magic[8];
  uint32_t Version;
  uint32_t Zero;
};
static_assert(sizeof(TraceHeader) == 16 && sizeof(TraceBlockHead) == 48);

} // namespace kst

#endif
