// SPDX-License-Identifier: GPL-2.0-or-later
//
// Traces out of files, by time.

#ifndef KST_HYBRID_TRACE_TRACEREADER_H
#define KST_HYBRID_TRACE_TRACEREADER_H

#include "hybrid/core/Result.h"
#include "hybrid/trace/TraceFile.h"
#include "hybrid/trace/TraceTables.h"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace kst {

/// What a trace has of one CPU or thread.
struct TraceStream {
  uint32_t Stream = 0;
  uint64_t Events = 0, Lost = 0;
};

/// Reads a trace in the order of time. Holds the tables, 32 bytes for each
/// block of the file and the block at hand of each stream, whatever the number
/// of events. ObjectTable.h says what an event's address is.
class TraceReader {
public:
  /// Bytes live as long as the reader. Tables and heads of blocks are checked
  /// here; blocks when their turn comes. A file that is damaged, has no whole
  /// tables or is of another version is a Failure.
  static Result<TraceReader> open(std::string_view Bytes);
  TraceReader(TraceReader &&);
  TraceReader &operator=(TraceReader &&);
  ~TraceReader();

  const TraceTables &tables() const;
  /// Sites with the number of their accesses, structs, texts about the run.
  const Profile &about() const;
  uint64_t events() const;
  /// Lost by the recorder, as the blocks say.
  uint64_t lost() const;
  const std::vector<TraceStream> &streams() const; ///< by stream
  /// False: the file ends before its end, as it does when the recorder was
  /// killed, or it was made of a recording that did. What is whole is read.
  bool complete() const;

  /// The next event, by time; ties by stream. An event that its clock dates
  /// before its predecessor of the same stream comes right after that. Its Site
  /// is a row of about().Sites, or NoTraceSite. False at the end, and at
  /// damage: then failure() has what and where.
  bool next(TraceEvent &E);
  const std::optional<Failure> &failure() const;

  /// From now on next() calls Progress(events so far, of about so many) with
  /// each block that it begins: every few ten thousand events.
  using Watcher = std::function<void(uint64_t Done, uint64_t All)>;
  void watch(Watcher Progress);

private:
  struct State;
  explicit TraceReader(std::unique_ptr<State> S);
  std::unique_ptr<State> S;
};

} // namespace kst

#endif
