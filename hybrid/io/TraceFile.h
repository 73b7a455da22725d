// SPDX-License-Identifier: GPL-2.0-or-later
//
// The file form of a trace, .kstt: what `trace import` writes, from which
// windows are computed. Self-contained: the program is not needed any more.
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

#ifndef KST_HYBRID_IO_TRACEFILE_H
#define KST_HYBRID_IO_TRACEFILE_H

#include "hybrid/model/Profile.h"
#include "hybrid/model/Result.h"
#include "hybrid/model/Trace.h"

#include <functional>
#include <memory>
#include <optional>
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

bool looksLikeTrace(std::string_view Bytes);

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

/// Reads a trace in the order of time. Holds the tables and a few hundred bytes
/// for each stream, whatever the number of events.
class TraceReader {
public:
  /// Bytes live as long as the reader. Tables are checked here; blocks when
  /// their turn comes. A file that is cut short, damaged or of another version
  /// is a Failure.
  static Result<TraceReader> open(std::string_view Bytes);
  TraceReader(TraceReader &&);
  TraceReader &operator=(TraceReader &&);
  ~TraceReader();

  /// Sites with the number of their events, structs, texts about the run.
  const Profile &about() const;
  const std::vector<TraceObject> &objects() const; ///< sorted by address
  uint64_t events() const;
  uint32_t streams() const; ///< how many there are

  /// The next event, by time; ties by stream. An event that its clock dates
  /// before its predecessor of the same stream comes right after that. False at
  /// the end, and at damage: then failure() has what and where.
  bool next(TraceEvent &E);
  const std::optional<Failure> &failure() const;

  /// The object that the event went to: by its site, or, if that names no
  /// struct, by its address among the objects.
  TracePlace place(const TraceEvent &E) const;

private:
  struct State;
  explicit TraceReader(std::unique_ptr<State> S);
  std::unique_ptr<State> S;
};

} // namespace kst

#endif
