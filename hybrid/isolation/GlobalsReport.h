// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `isolation globals` says, for people and for programs.

#pragma once

#include "hybrid/core/ToolId.h"
#include "hybrid/isolation/SharedArrays.h"
#include "hybrid/report/Document.h"

#include <optional>

namespace kst {

/// A replay of a trace, with the globals as they are and as advised.
struct ReplayedGlobals {
  std::string Trace;
  unsigned Cpus = 1;
  std::vector<std::string> Limits; ///< traceLimits() of the trace
  uint64_t OfAccesses = 0;         ///< that the trace has
  uint64_t Accesses = 0;           ///< to globals
  uint64_t FalseWithin = 0;        ///< of False, between bytes of one global
  uint64_t False = 0, FalseAdvised = 0, True = 0, TrueAdvised = 0;
  std::vector<GlobalCounts> Counts, CountsAdvised; ///< by global
};

struct GlobalsReport {
  ToolId Tool;
  std::string Image, HeatOf;
  bool Module = false, Debug = false;
  bool Kernel = true; ///< else a program or library
  /// Of a program: whether a call in it makes a thread.
  bool Threads = false;
  /// Sections are those of object files: of a linked image they are joined.
  bool InputSections = false;
  std::string Within; ///< files; empty: all
  uint64_t LineBytes = 64;
  size_t Uses = 0, UsesOutside = 0;
  std::vector<Global> Globals;
  std::vector<GlobalsLine> Lines;
  std::vector<SharedArray> Arrays;
  std::optional<ReplayedGlobals> Replay;
};

Document describe(const GlobalsReport &R);
/// schema/kst-isolation-1.schema.json
std::string toJson(const GlobalsReport &R);

} // namespace kst
