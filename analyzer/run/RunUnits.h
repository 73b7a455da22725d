// SPDX-License-Identifier: GPL-2.0-or-later
//
// From units to facts: the cache where it holds, child processes for the rest,
// results in the order of the units whatever happens on the way.

#pragma once

#include "analyzer/run/FactsCache.h"
#include "analyzer/run/Progress.h"
#include "analyzer/run/RunUnit.h"
#include "analyzer/run/WorkerPool.h"
#include "hybrid/facts/Facts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kst {

/// Parses one unit, through the given file system only: what it reads by
/// another way is unknown to the cache. Runs in a child process; may crash.
using Extractor = std::function<llvm::Expected<TuFacts>(
    const RunUnit &, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>)>;

struct RunOptions {
  unsigned Workers = 1;
  WorkerLimits Limits;
  FactsCacheOptions Cache; ///< empty Directory (--no-cache): none
  Progress *Shown = nullptr;
  /// Outcomes say on which answers of the file system they rest.
  bool WithDependencies = false;
};

/// Facts, or the reason why there are none.
struct UnitOutcome {
  std::optional<TuFacts> Facts;
  std::string Reason;
  bool FromCache = false;
  /// With facts and RunOptions::WithDependencies: sorted by path; nothing when
  /// the parse did something that cannot be written down.
  std::optional<std::vector<Dependency>> Dependencies = {};
};

struct RunStatistics {
  size_t Units = 0;
  size_t CacheHits = 0; ///< known failures included
  size_t Parsed = 0;    ///< facts made in this run
  size_t Failed = 0;
  unsigned Forks = 0;
  uint64_t PeakRssKb = 0;     ///< of the largest child
  double ChildCpuSeconds = 0; ///< of all children
  /// True: SIGINT or SIGTERM came; some units were not delivered. Exit 130.
  bool Interrupted = false;
  /// Trouble that cost no facts: each message once, in order of units.
  std::vector<std::string> Warnings;
};

/// Calls Sink once for each unit, in their order, as soon as that unit and all
/// before it are there; facts are not kept here, so memory is bounded by what
/// Sink keeps. Same units, same files: same calls, whatever Workers and the
/// cache. The process has one thread during the call, and loses no child.
RunStatistics
runUnits(llvm::ArrayRef<RunUnit> Units, const Extractor &Extract,
         const RunOptions &Options,
         llvm::function_ref<void(size_t Unit, UnitOutcome Outcome)> Sink);

} // namespace kst
