// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page requests of a trace, given to allocators with other policies.

#pragma once

#include "hybrid/colour/ColourSweep.h"
#include "hybrid/colour/PageAgreement.h"

namespace kst {

struct ColourReplayOptions {
  MemoryCache Cache;
  std::vector<PagePolicy> Policies;
  ColourLists Colours;       ///< of policies that place by colour
  std::vector<double> Sizes; ///< of working sets, in sizes of the cache, rising
  uint64_t Churn = 0; ///< frees and allocations by chance, behind the trace
  uint64_t Seed = 1;
};

struct PolicyResult {
  PagePolicy Policy = PagePolicy::Stock;
  /// By colour of the cache: pages that requests of the trace have at its end.
  std::vector<uint32_t> Pages;
  uint64_t Failed = 0; ///< requests that the zone had no pages for
  /// Requests that got the page frame that the kernel gave, with no word from
  /// the kernel in between.
  uint64_t Requests = 0, Equal = 0;
  std::vector<SweepPoint> Sweep;
};

struct PageReplay {
  PageStart Start;
  PageAgreement Agreement;
  std::vector<uint32_t> RecordedPages; ///< likewise, where the kernel put them
  std::vector<PolicyResult> Policies;
};

/// How far two distributions over colours are apart.
struct ColourDistance {
  double ChiSquare = 0; ///< of two samples, over bins with any page
  uint32_t Degrees = 0;
  double Probability = 1; ///< of as much or more, were both of one kind
  double Overlap = 1;     ///< common share
};
/// Colours in at most Bins runs of equal length.
ColourDistance colourDistance(const std::vector<uint32_t> &A,
                              const std::vector<uint32_t> &B, size_t Bins = 64);

/// Opens the trace again for each pass: once for its start, then for all
/// policies at once. Memory: 17 bytes for each page of the machine and policy.
using OpenTrace = std::function<Result<TraceReader>()>;
Result<PageReplay> replayPages(const OpenTrace &Open,
                               const ColourReplayOptions &Options);
/// Without a trace: a machine all of whose memory is free.
PageReplay replayFresh(uint64_t Frames, const ColourReplayOptions &Options);

} // namespace kst
