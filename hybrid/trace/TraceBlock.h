// SPDX-License-Identifier: GPL-2.0-or-later
//
// Blocks of a trace: events of one stream to bytes and back. Needs nothing but
// zstd and XXH3: recorders inside other programs use it, too.

#ifndef KST_HYBRID_TRACE_TRACEBLOCK_H
#define KST_HYBRID_TRACE_TRACEBLOCK_H

#include "hybrid/trace/Trace.h"
#include "hybrid/trace/TraceFile.h"

#include <memory>
#include <string>
#include <string_view>

namespace kst {

inline constexpr unsigned TraceColumns = 5;
inline constexpr size_t TraceAddressBases = 64;

/// What differences are taken to.
struct TraceBase {
  uint64_t Time = 0;
  uint32_t Site = 0;
  uint64_t Address[TraceAddressBases] = {};
};

/// A block of anything: head and compressed bytes. Kind, Stream, Events,
/// FirstTime and LostBefore are the caller's.
std::string traceBlock(TraceBlockHead Head, std::string_view Raw);

/// The bytes of a block, uncompressed, or null if they are damaged: neither the
/// size nor the checksum that Head says. Raw has Head.RawBytes bytes.
bool readTraceBlock(const TraceBlockHead &Head, std::string_view Bytes,
                    char *Raw);

/// Whether the head is as it was written. Fields can still be forged.
bool soundHead(const TraceBlockHead &Head);

/// Collects events of one stream.
class TraceBlockEncoder {
public:
  explicit TraceBlockEncoder(uint32_t Stream) { Head.Stream = Stream; }
  /// Whether finish() must come before E: the block is full, or E knows of
  /// losses.
  bool full(const TraceEvent &E) const {
    return Head.Events == EventsPerTraceBlock || (E.LostBefore && Head.Events);
  }
  void add(const TraceEvent &E);
  /// Losses behind the last event.
  void lost(uint64_t Events) { LostAtEnd += Events; }
  uint32_t events() const { return Head.Events; }
  bool empty() const { return !Head.Events && !LostAtEnd; }
  /// The block, and begins a new one. Not empty.
  std::string finish();

private:
  TraceBlockHead Head;
  uint64_t Latest = 0; ///< time in the merged order
  uint64_t LostAtEnd = 0;
  TraceBase From;
  std::string Columns[TraceColumns];
};

/// Hands out the events of a block.
class TraceBlockDecoder {
public:
  /// Null, or what is wrong with the block. Bytes of an earlier block are
  /// forgotten.
  const char *open(const TraceBlockHead &Head, std::string_view Bytes);
  bool done() const { return !Left; }
  /// Null, or what is wrong. Time, Address, Site, Kind, Access, SizeBytes,
  /// Info, Value, Index of E are set. At the last event also if bytes are left.
  const char *next(TraceEvent &E);

private:
  struct Column {
    const unsigned char *At = nullptr, *End = nullptr;
    bool number(uint64_t &Out);
    bool difference(uint64_t &Out);
  };
  std::unique_ptr<char[]> Raw;
  size_t RawSize = 0;
  uint32_t Left = 0;
  Column Columns[TraceColumns];
  TraceBase From;
};

} // namespace kst

#endif
