// SPDX-License-Identifier: GPL-2.0-or-later
//
// The lists of free pages that each CPU has in front of a zone (struct
// per_cpu_pages of Linux 6.12), and how they grow and shrink.

#pragma once

#include "hybrid/colour/PageZone.h"

namespace kst {

/// Limits of a zone, in pages.
struct ZoneLimits {
  uint64_t MinMark = 0, HighMark = 0;
  /// Of CPUs' lists: how many come at a time, how many stay.
  uint32_t Batch = 1, HighLeast = 0, HighMost = 0;
};

/// One request.
struct PageRequest {
  unsigned Cpu = 0; ///< below MaxPageCpus
  unsigned Order = 0;
  uint8_t Type = Movable;
  unsigned Zone = 0;
};
inline constexpr unsigned MaxPageCpus = 4096;

/// Of one zone, which is given each time, since allocators are moved.
class CpuPageLists {
public:
  /// Without lists: no memory for blocks.
  explicit CpuPageLists(const ZoneShape &Shape, bool Any = true)
      : Start(Shape.Start), Owners(Any ? Shape.Frames : 0) {}

  /// Whether requests of that order and type are served here.
  static bool serves(const PageZone &Of, unsigned Order, uint8_t Type) {
    return serves(Of, Order) && Type < CpuPageTypes;
  }
  static bool serves(const PageZone &Of, unsigned Order) {
    return Order <= 3 || Order == Of.shape().BlockOrder;
  }

  void setLimits(const ZoneLimits &Of) { Limits = Of; }
  /// How a CPU's lists stand at the start.
  void setCounts(unsigned Cpu, uint32_t High, uint32_t FreedInRow,
                 uint32_t Doublings);
  void setBlock(PageZone &Of, unsigned Cpu, uint32_t Frame, unsigned Order,
                uint8_t Type);

  /// Whatever is asked of the zone: it may be below its mark from now on.
  void beforeAlloc(const PageZone &Of) {
    BelowHigh = BelowHigh || Of.freePages() <= Limits.HighMark;
  }
  bool isEmpty(const PageRequest &R) const {
    return R.Cpu >= PerCpu.size() ||
           PerCpu[R.Cpu].Lists[listOf(R.Order, R.Type)].First == NoFrame;
  }
  /// NoFrame if the zone has none left.
  uint32_t alloc(PageZone &Of, const PageRequest &R);
  void free(PageZone &Of, unsigned Cpu, uint32_t Frame, unsigned Order);
  /// Straight out of the zone.
  static uint32_t takeFromZone(PageZone &Of, const PageRequest &R);

  /// The list that has a block which is on one.
  struct Place {
    unsigned Cpu, Which;
    bool operator==(const Place &) const = default;
  };
  Place placeOf(uint32_t Frame) const;
  static Place placeFor(const PageRequest &R) {
    return {R.Cpu, listOf(R.Order, R.Type)};
  }
  /// The block on some CPU's list that has the frame goes to the free lists.
  /// False: none has.
  bool drain(PageZone &Of, uint32_t Frame);
  /// A block that alloc() gave is the first of its list again.
  void putBack(PageZone &Of, const PageRequest &R, uint32_t Frame);
  /// Takes a block that is on the request's list, not in front. What is before
  /// it comes later.
  void takeFrom(PageZone &Of, const PageRequest &R, uint32_t Frame);
  /// An empty list gets what a refill brings beside the block that is given.
  void refillBeside(PageZone &Of, const PageRequest &R);

  /// Blocks that free() gave back to free lists.
  uint64_t drained() const { return Drained; }

private:
  static constexpr unsigned ListNumber = 14;
  struct CpuLists {
    PageList Lists[ListNumber];
    uint32_t Count = 0, High = 0, FreedInRow = 0, Doublings = 0;
    bool FreedLarge = false;
  };
  static unsigned listOf(unsigned Order, uint8_t Type) {
    return Order <= 3 ? Order * CpuPageTypes + Type : 12 + (Type == Movable);
  }
  CpuLists &lists(unsigned Cpu);
  /// A block goes to the front or the back of a CPU's list.
  enum class End : uint8_t { Front, Back };
  void put(PageZone &Of, Place On, uint32_t Frame, unsigned Order, End At);
  void remove(PageZone &Of, Place From, uint32_t Frame);
  uint32_t refillNumber(CpuLists &Of, unsigned Order);
  uint32_t mostStay(CpuLists &Of, bool FreeLarge);
  void drainSome(PageZone &Zone, CpuLists &Of, uint32_t Number, unsigned From);

  uint32_t Start;
  ZoneLimits Limits;
  bool BelowHigh = false;
  std::vector<CpuLists> PerCpu;
  /// By frame that begins a block on a list: CPU << 4 | list.
  std::vector<uint16_t> Owners;
  uint64_t Drained = 0;
};

} // namespace kst
