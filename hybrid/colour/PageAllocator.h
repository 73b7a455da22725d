// SPDX-License-Identifier: GPL-2.0-or-later
//
// Linux's page allocator as a model: zones, and lists of each CPU in front of
// them (mm/page_alloc.c of 6.12), or a policy that places pages by colour.

#pragma once

#include "hybrid/colour/ColourTree.h"
#include "hybrid/colour/CpuPageLists.h"

#include <memory>
#include <random>
#include <string>

namespace kst {

enum class PagePolicy : uint8_t {
  Stock,       ///< as the kernel does it
  Shuffle,     ///< likewise, with page_alloc.shuffle=1
  ColourLists, ///< each request the colour behind the last one's; none left:
               ///< any
  ColourTree,  ///< the next colour behind the last one's of which there is one
  EmptiestBin, ///< the colour with the fewest used pages
  Random,      ///< any free page, all alike: what closed forms assume
};
inline constexpr unsigned PagePolicies = 6;
/// As in `emptiest-bin`.
const char *spelling(PagePolicy Policy);

/// Deterministic. Policies other than Stock and Shuffle have no lists of CPUs,
/// and no pageblock changes its type.
class PageAllocator {
public:
  /// A colour is 2^Colours.Order pages; the number is a power of two. With
  /// Stock and Shuffle it only counts.
  PageAllocator(std::vector<ZoneShape> Shapes, PagePolicy Policy,
                ColourLists Colours, uint64_t Seed = 1);

  std::vector<PageZone> &zones() { return Zones; }
  const std::vector<PageZone> &zones() const { return Zones; }
  /// NoZone if the frame is in none.
  static constexpr unsigned NoZone = ~0u;
  unsigned zoneOf(uint64_t Frame) const;
  void setLimits(unsigned Zone, const ZoneLimits &Of);

  /// How a CPU's lists stand at the start.
  void setCounts(unsigned Zone, unsigned Cpu, uint32_t High,
                 uint32_t FreedInRow, uint32_t Doublings);
  void setOnCpuList(unsigned Zone, unsigned Cpu, uint32_t Frame, unsigned Order,
                    uint8_t Type);
  /// All free pages are there: counts colours, shuffles. Booting: the kernel
  /// shuffles later, in page_alloc_init_late(); here when the zones get their
  /// watermarks, soon behind it.
  void start(bool Booting = false);

  /// The first frame; NoFrame if the zone has none left.
  uint32_t alloc(const PageRequest &R);
  /// A used block, or a part of one.
  void free(unsigned Cpu, uint32_t Frame, unsigned Order);

  /// A block out of wherever it is, to be in use from now on; false if it is
  /// not free as a whole.
  bool takeExactly(uint32_t Frame, unsigned Order, uint8_t Type);
  /// Where a block was that the kernel gave.
  enum class Found : uint8_t { OwnList, OtherList, FreeList, Used };
  /// alloc() just gave Given, the kernel Frame: as if it had been so here.
  Found follow(const PageRequest &R, uint32_t Given, uint32_t Frame);
  /// Somebody moved a block from a CPU's list to the free lists. False: it is
  /// on none.
  bool drain(uint32_t Frame);

  /// Blocks that free() moved from lists of CPUs to free lists.
  uint64_t drained() const;
  /// Pages in use, of all zones.
  uint32_t usedOf(uint32_t Colour) const { return Bins[0].used(Colour); }

private:
  bool usesCpuLists() const { return Policy <= PagePolicy::Shuffle; }
  uint32_t takeByColour(const PageRequest &R);
  uint32_t colourOf(uint32_t Frame) const {
    return (Frame >> Colours.Order) & (Colours.Number - 1);
  }
  void count(unsigned Zone, uint32_t Frame, unsigned Order, bool Used);
  void shuffle();
  void pickTails();

  PagePolicy Policy;
  ColourLists Colours;
  std::vector<PageZone> Zones;
  std::vector<CpuPageLists> OnCpus; ///< by zone
  /// By zone: its free pages, and the used ones of all zones.
  std::vector<ColourTree> Bins;
  std::vector<uint32_t> Cursor; ///< by zone: the colour that comes next
  std::mt19937_64 Chance;
  /// The latest alloc() took a page from the CPU's list as it was.
  bool FromList = false;
  bool ToShuffle = false;
};

} // namespace kst
