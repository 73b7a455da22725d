// SPDX-License-Identifier: GPL-2.0-or-later
//
// A working set swept again and again through a cache that is indexed by
// physical address: what the placement of its pages does to hits.

#pragma once

#include "hybrid/colour/PageAllocator.h"
#include "hybrid/core/Result.h"

#include <optional>
#include <string_view>

namespace kst {

/// A cache on the memory side, by pages: a set holds Ways pages.
struct MemoryCache {
  uint64_t Bytes = 0;
  uint32_t Ways = 1;       ///< 1: direct mapped
  uint32_t LineBytes = 64; ///< sets of lines within a page go along with it

  /// Pages of 4 KiB that lie in different sets.
  uint32_t colours() const { return uint32_t(Bytes / Ways / 4096); }
  uint32_t pages() const { return uint32_t(Bytes / 4096); }
  bool operator==(const MemoryCache &) const = default;
};

/// Reads `16G`, `64M/4`: size and ways. At most 1 TiB; each way is a whole
/// number of pages, or of what `WayBytes` says.
Result<MemoryCache> parseMemoryCache(std::string_view Words,
                                     uint32_t WayBytes = 4096);
std::string spelling(const MemoryCache &Of);

struct SweepPoint {
  double WorkingSet = 0; ///< in sizes of the cache
  uint64_t Pages = 0;
  double HitShare = 0; ///< of page accesses of a sweep behind the first
  uint32_t MostOfColour = 0, LeastOfColour = 0;
};

/// Share of hits where all pages of the set are behind one another, or placed
/// by chance: (2-w)/w for 1 < w <= 2 and e^-w (direct mapped only).
double contiguousHits(double WorkingSet);
double randomHits(double WorkingSet);
/// Where the two cross: 1.69.
double hitCrossing();
/// Of two rates, by the share of accesses that hit.
double mixedRate(double HitShare, double HitRate, double MissRate);

/// Allocates the largest set, page by page, as one task on CPU 0 would, from
/// the zone with most frames on; a smaller set is the first part of it. Points
/// that the memory has no pages for are missing. Sizes ascend.
std::vector<SweepPoint> sweep(PageAllocator &From, const MemoryCache &Cache,
                              const std::vector<double> &Sizes);

/// Pages placed in the cache's sets and swept twice, LRU: share of hits of the
/// second sweep.
double sweepHits(const std::vector<uint32_t> &Frames, size_t Number,
                 const MemoryCache &Cache);

} // namespace kst
