// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which types of kernel objects meet in which sets of a physically indexed
// cache.

#pragma once

#include "hybrid/colour/ColourSweep.h"
#include "hybrid/trace/TraceReader.h"

namespace kst {

struct HeatOptions {
  MemoryCache Cache; ///< a set holds Ways lines
  /// A window ends with as many different lines. 0: as many as the cache has,
  /// since so many would stay if they could lie anywhere: what does not fit
  /// its set is the fault of its place. More than a million count as one.
  uint64_t WindowLines = 0;
};

struct HeatType {
  std::string Name;
  uint64_t Accesses = 0, Misses = 0, Conflicts = 0;
  uint64_t Crowded = 0; ///< accesses to sets that had more lines than ways
  std::vector<uint64_t> Strip; ///< accesses by run of sets
};

/// A set, or a pair of types, by what is too much there.
struct HeatSet {
  uint64_t Set = 0;
  uint64_t Excess = 0; ///< lines beyond the ways, summed over windows
  /// Accesses to others than the most used lines for which there are ways,
  /// likewise.
  uint64_t Heat = 0;
  uint64_t Conflicts = 0;
  std::vector<std::pair<uint32_t, uint64_t>> Types; ///< type, accesses
};
struct HeatPair {
  uint32_t A = 0, B = 0; ///< types; the same: objects of one type
  /// Over windows and crowded sets: accesses of the one that has fewer there.
  uint64_t Meetings = 0;
};

struct ColourHeat {
  MemoryCache Cache;
  uint64_t Sets = 0, Accesses = 0, Windows = 0;
  uint64_t NoPhysical = 0; ///< accesses whose physical address is not known
  uint64_t Misses = 0, Conflicts = 0; ///< of the cache model
  uint64_t CrowdedSets = 0;
  std::vector<HeatType> Types;  ///< most accesses first
  std::vector<HeatSet> Fullest; ///< most heat first
  std::vector<HeatPair> Pairs;
  /// Conflict misses in the fullest tenth of all sets, and in as many by
  /// chance.
  uint64_t ConflictsInFullest = 0, SetsInFullest = 0;
  /// Rank correlation of heat and conflict misses over sets that were used.
  double Rank = 0;
};

/// Where page 0 and the kernel's image lie, as the trace or x86-64 has it.
struct PhysicalMap {
  uint64_t DirectMap = 0xffff888000000000, Image = 0xffffffff80000000;
  static PhysicalMap of(const Profile &About);
  /// False: not known.
  bool physical(uint64_t Address, uint64_t &Out) const;
};

/// Reads the trace to its end. A failure if it is damaged, or has no access of
/// which the physical address is known.
Result<ColourHeat> colourHeat(TraceReader &Trace, const HeatOptions &Options);

} // namespace kst
