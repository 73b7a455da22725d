// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the page allocator had when a recording began: as recorded, or guessed
// from the page events themselves.

#pragma once

#include "hybrid/colour/PageAllocator.h"
#include "hybrid/core/Result.h"
#include "hybrid/trace/TraceReader.h"

namespace kst {

struct PageStart {
  struct Block {
    uint32_t Frame;
    uint8_t Order, Type;
    uint16_t Zone;
    uint16_t Cpu; ///< of blocks on a CPU's list
  };
  struct Counts {
    uint32_t High, FreedInRow, Doublings;
    uint16_t Zone, Cpu;
  };
  std::vector<ZoneShape> Zones;
  std::vector<ZoneLimits> Limits; ///< by zone
  std::vector<Block> Types;       ///< pageblocks that are not movable
  std::vector<Block> Free;        ///< by list, the first to be taken first
  std::vector<Block> OnCpus;      ///< likewise
  std::vector<Counts> Cpus;
  /// The allocator's state is in the trace; else pages are free that no event
  /// shows in use, from the lowest on.
  bool Recorded = false;
  bool Booting = false; ///< recorded before zones had watermarks
  /// Page events before the state, which has their effect.
  uint64_t Before = 0;
  uint64_t PageEvents = 0, LastFrame = 0;
  /// Blocks of the state that lie on others, since other CPUs ran while it was
  /// read; left out.
  uint64_t Overlaps = 0;
  /// The whole machine is free: every frame of each zone.
  static PageStart fresh(uint64_t Frames);

  PageAllocator allocator(PagePolicy Policy, ColourLists Colours,
                          uint64_t Seed = 1) const;
};

/// Reads the trace to its end. A failure if it has no page events, is damaged,
/// or has frames beyond 1 TiB.
Result<PageStart> pageStart(TraceReader &Trace);

} // namespace kst
