// SPDX-License-Identifier: GPL-2.0-or-later
//
// Traces out of files, by time.

#ifndef KST_HYBRID_TRACE_TRACEREADER_H
#define KST_HYBRID_TRACE_TRACEREADER_H

#include "hybrid/core/Result.h"
#include "hybrid/profile/Profile.h"
#include "hybrid/trace/TraceFile.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace kst {

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
