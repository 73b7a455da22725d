// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/PageAllocator.h"

#include <algorithm>

namespace kst {
const char *spelling(PagePolicy Policy) {
  static constexpr const char *Names[PagePolicies] = {
      "stock",       "shuffle",      "colour-lists",
      "colour-tree", "emptiest-bin", "random"};
  return Names[size_t(Policy)];
}

PageAllocator::PageAllocator(std::vector<ZoneShape> Shapes, PagePolicy Policy,
                             ColourLists Colours, uint64_t Seed)
    : Policy(Policy), Colours(Colours),
      Bins(Shapes.size(), ColourTree(Colours.Number)), Cursor(Shapes.size()),
      Chance(Seed) {
  for (const ZoneShape &Of : Shapes) {
    Zones.emplace_back(Of, usesCpuLists() || Policy == PagePolicy::Random
                               ? ColourLists()
                               : Colours);
    OnCpus.emplace_back(Of, usesCpuLists());
  }
}

unsigned PageAllocator::zoneOf(uint64_t Frame) const {
  for (unsigned Z = 0; Z < Zones.size(); ++Z)
    if (Frame < NoFrame && Zones[Z].has(uint32_t(Frame)))
      return Z;
  return NoZone;
}

void PageAllocator::setCounts(unsigned Zone, unsigned Cpu, uint32_t High,
                              uint32_t FreedInRow, uint32_t Doublings) {
  OnCpus[Zone].setCounts(Cpu, High, FreedInRow, Doublings);
}

void PageAllocator::setOnCpuList(unsigned Zone, unsigned Cpu, uint32_t Frame,
                                 unsigned Order, uint8_t Type) {
  if (!usesCpuLists())
    return Zones[Zone].free(Frame, Order, PageZone::Place::Tail);
  OnCpus[Zone].setBlock(Zones[Zone], Cpu, Frame, Order, Type);
}

void PageAllocator::setLimits(unsigned Zone, const ZoneLimits &Of) {
  OnCpus[Zone].setLimits(Of);
  if (ToShuffle && Of.HighMark)
    shuffle();
}

uint64_t PageAllocator::drained() const {
  uint64_t Sum = 0;
  for (const CpuPageLists &Of : OnCpus)
    Sum += Of.drained();
  return Sum;
}

void PageAllocator::shuffle() {
  ToShuffle = false;
  for (PageZone &Of : Zones)
    Of.shuffle([this] { return Chance(); });
}

/// shuffle_pick_tail()
void PageAllocator::pickTails() {
  for (PageZone &Of : Zones)
    // Allocators are moved: what decides belongs to the zone.
    Of.pickTail([Own = std::mt19937_64(Chance()), Bits = uint64_t(0),
                 Left = 0]() mutable {
      if (!Left--) {
        Bits = Own();
        Left = 63;
      }
      const bool Tail = Bits & 1;
      Bits >>= 1;
      return Tail;
    });
}

void PageAllocator::start(bool Booting) {
  if (Policy == PagePolicy::Shuffle) {
    pickTails();
    ToShuffle = Booting;
    if (!Booting)
      shuffle();
  }
  if (usesCpuLists())
    return;
  for (unsigned Z = 0; Z < Zones.size(); ++Z) {
    const PageZone &Of = Zones[Z];
    const ZoneShape &Shape = Of.shape();
    for (uint32_t I = Shape.Start; I < Shape.Start + Shape.Frames;) {
      const bool Free = Of.where(I) == PageZone::At::Free;
      const uint32_t Step = Free ? 1u << Of.order(I) : 1;
      for (uint32_t J = I; J < I + Step; ++J)
        if (Free)
          Bins[Z].change(colourOf(J), 0, 1);
        else
          for (ColourTree &Bin : Bins)
            Bin.change(colourOf(J), 1, 0);
      I += Step;
    }
  }
}

void PageAllocator::count(unsigned Zone, uint32_t Frame, unsigned Order,
                          bool Used) {
  if (usesCpuLists())
    return;
  const int32_t More = Used ? 1 : -1;
  for (uint32_t I = Frame; I < Frame + (1u << Order); ++I)
    for (unsigned Z = 0; Z < Bins.size(); ++Z)
      Bins[Z].change(colourOf(I), More, Z == Zone ? -More : 0);
}

// ---- allocations

uint32_t PageAllocator::takeByColour(const PageRequest &R) {
  PageZone &Of = Zones[R.Zone];
  if (Policy == PagePolicy::Random) {
    // Tries hit a free page soon unless memory is full.
    const ZoneShape &Shape = Of.shape();
    for (unsigned Try = 0; Try < 4096 && Of.freePages(); ++Try) {
      const uint32_t Frame = (Shape.Start + uint32_t(Chance() % Shape.Frames)) &
                             ~((1u << R.Order) - 1);
      if (Of.has(Frame) && Of.takeExactly(Frame, R.Order))
        return Frame;
    }
    return Of.takeAny(R.Order, R.Type);
  }
  uint32_t &Next = Cursor[R.Zone];
  uint32_t Colour = Next;
  if (Policy == PagePolicy::ColourTree)
    Colour = Bins[R.Zone].next(Next);
  else if (Policy == PagePolicy::EmptiestBin)
    Colour = Bins[R.Zone].emptiest();
  if (Colour == ColourTree::None)
    return NoFrame;
  const unsigned Steps = R.Order > Colours.Order ? R.Order - Colours.Order : 0;
  Colour &= ~((1u << Steps) - 1); // blocks lie at multiples of their size
  uint32_t Frame = Of.takeColour(R.Order, R.Type, Colour);
  // Pages of 2^Order go on within one colour.
  const uint32_t Ahead =
      std::max<uint32_t>(1, (1u << R.Order) >> Colours.Order);
  const uint32_t After = Frame == NoFrame ? Colour + Ahead
                         : Of.has(Frame)
                             ? (((Frame + (1u << R.Order)) >> Colours.Order))
                             : 0;
  Next = After & (Colours.Number - 1);
  return Frame == NoFrame ? Of.takeAny(R.Order, R.Type) : Frame;
}

uint32_t PageAllocator::alloc(const PageRequest &R) {
  PageZone &Of = Zones[R.Zone];
  CpuPageLists &Lists = OnCpus[R.Zone];
  Lists.beforeAlloc(Of);
  FromList = false;
  uint32_t Frame = NoFrame;
  if (!usesCpuLists()) {
    Frame = takeByColour(R);
  } else if (CpuPageLists::serves(Of, R.Order, R.Type)) {
    FromList = !Lists.isEmpty(R);
    Frame = Lists.alloc(Of, R);
  }
  if (Frame == NoFrame && usesCpuLists())
    Frame = CpuPageLists::takeFromZone(Of, R);
  if (Frame == NoFrame)
    return Frame;
  Of.use(Frame, R.Order, R.Type);
  count(R.Zone, Frame, R.Order, true);
  return Frame;
}

// ---- frees

void PageAllocator::free(unsigned Cpu, uint32_t Frame, unsigned Order) {
  const unsigned Z = zoneOf(Frame);
  if (Order && !Zones[Z].has(Frame + (1u << Order) - 1)) {
    for (uint32_t I = 0; I < 1u << Order; ++I)
      if (zoneOf(Frame + I) != NoZone)
        free(Cpu, Frame + I, 0);
    return;
  }
  count(Z, Frame, Order, false);
  if (usesCpuLists() && CpuPageLists::serves(Zones[Z], Order))
    return OnCpus[Z].free(Zones[Z], Cpu, Frame, Order);
  // split_large_buddy()
  const unsigned Part = std::min(Order, Zones[Z].shape().BlockOrder);
  for (uint32_t I = 0; I < 1u << Order; I += 1u << Part)
    Zones[Z].free(Frame + I, Part);
}

// ---- what the recording says

bool PageAllocator::takeExactly(uint32_t Frame, unsigned Order, uint8_t Type) {
  const unsigned Z = zoneOf(Frame);
  PageZone &Of = Zones[Z];
  bool Whole = Of.takeExactly(Frame, Order);
  if (!Whole && usesCpuLists()) {
    for (uint32_t I = 0; I < 1u << Order; ++I)
      OnCpus[Z].drain(Of, Frame + I);
    Whole = Of.takeExactly(Frame, Order);
  }
  uint32_t Pieces = 0;
  for (uint32_t I = 0; !Whole && I < 1u << Order; ++I)
    Pieces += Of.takeExactly(Frame + I, 0);
  if (Whole || Pieces)
    count(Z, Frame, Order, true); // colours count what was free as whole blocks
  Of.use(Frame, Order, Type);
  return Whole;
}

PageAllocator::Found PageAllocator::follow(const PageRequest &R, uint32_t Given,
                                           uint32_t Frame) {
  PageZone &Of = Zones[R.Zone];
  CpuPageLists &Lists = OnCpus[R.Zone];
  if (!usesCpuLists() || !CpuPageLists::serves(Of, R.Order, R.Type)) {
    if (Given != NoFrame) {
      count(R.Zone, Given, R.Order, false);
      Of.free(Given, R.Order, PageZone::Place::Front);
    }
    const bool OnList = Of.where(Frame) == PageZone::At::CpuList;
    return !takeExactly(Frame, R.Order, R.Type) ? Found::Used
           : OnList                             ? Found::OtherList
                                                : Found::FreeList;
  }
  const bool HadPages = FromList;
  if (Given != NoFrame)
    Lists.putBack(Of, R, Given);
  if (Of.where(Frame) == PageZone::At::CpuList) {
    if (Lists.placeOf(Frame) != CpuPageLists::placeFor(R))
      return takeExactly(Frame, R.Order, R.Type) ? Found::OtherList
                                                 : Found::Used;
    // What the kernel did not have in front of it comes later, or never.
    Lists.takeFrom(Of, R, Frame);
    Of.use(Frame, R.Order, R.Type);
    return Found::OwnList;
  }
  if (!takeExactly(Frame, R.Order, R.Type))
    return Found::Used;
  if (HadPages) // the kernel's list was empty and got more than this page
    Lists.refillBeside(Of, R);
  return Found::FreeList;
}

bool PageAllocator::drain(uint32_t Frame) {
  const unsigned Z = zoneOf(Frame);
  return Z != NoZone && usesCpuLists() && OnCpus[Z].drain(Zones[Z], Frame);
}

} // namespace kst
