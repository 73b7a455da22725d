// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/PageStart.h"

#include <algorithm>
#include <bit>

namespace kst {
namespace {

constexpr uint64_t MaxFrames = uint64_t(1) << 28; ///< 1 TiB
/// Of x86: ZONE_DMA and ZONE_DMA32 end at 16 MiB and 4 GiB.
constexpr uint64_t ZoneEnds[] = {1 << 12, 1 << 20, MaxFrames};
constexpr unsigned BlockOrder = 9;

/// Zones as x86 has them.
std::vector<ZoneShape> usualZones(uint64_t Frames) {
  std::vector<ZoneShape> Out;
  uint64_t Start = 0;
  for (uint64_t End : ZoneEnds) {
    End = std::min(End, Frames);
    if (End > Start)
      Out.push_back({uint32_t(Start), uint32_t(End - Start), BlockOrder});
    Start = std::max(Start, End);
  }
  return Out;
}

/// zone_batchsize(), zone_highsize() and the watermarks of mm/page_alloc.c, of
/// a zone with as many pages and some CPUs, as a kernel has them that was told
/// nothing.
ZoneLimits usualLimits(uint64_t Pages, uint64_t AllPages, unsigned Cpus) {
  ZoneLimits Out;
  uint64_t MinKb = 1;
  while ((MinKb + 1) * (MinKb + 1) <= AllPages * 4 * 16)
    ++MinKb; // int_sqrt(lowmem_kbytes * 16)
  MinKb = std::clamp<uint64_t>(MinKb, 128, 262144);
  Out.MinMark = AllPages ? MinKb / 4 * Pages / AllPages : 0;
  const uint64_t Step = std::max(Out.MinMark / 4, Pages / 1000);
  Out.HighMark = Out.MinMark + 2 * Step;
  uint64_t Batch = std::min<uint64_t>(Pages >> 10, 256) / 4;
  Batch = std::max<uint64_t>(Batch, 1);
  uint64_t Power = 1;
  while (Power * 2 <= Batch + Batch / 2)
    Power *= 2;
  Out.Batch = uint32_t(std::max<uint64_t>(Power - 1, 1));
  const uint64_t Low = Out.MinMark + Step;
  Out.HighLeast =
      uint32_t(std::max<uint64_t>(Low / std::max(Cpus, 1u), Out.Batch * 4));
  Out.HighMost = uint32_t(
      std::max<uint64_t>(Pages / 8 / std::max(Cpus, 1u), Out.HighLeast));
  return Out;
}

/// A bit for each frame.
class FrameSet {
public:
  bool has(uint64_t Frame) const {
    return Frame / 64 < Words.size() && Words[Frame / 64] >> Frame % 64 & 1;
  }
  void add(uint64_t Frame) {
    if (Frame / 64 >= Words.size())
      Words.resize(Frame / 64 * 5 / 4 + 1);
    Words[Frame / 64] |= uint64_t(1) << Frame % 64;
  }

private:
  std::vector<uint64_t> Words;
};

class StartReader {
public:
  Result<PageStart> read(TraceReader &Trace);

private:
  bool state(const TraceEvent &E);
  void page(const TraceEvent &E);
  void guess();
  void dropOverlaps();

  PageStart Out;
  FrameSet Seen, UsedFirst;
  unsigned Cpus = 1;
  uint64_t Behind = 0; ///< the last zone
};

/// False: it makes no sense.
bool StartReader::state(const TraceEvent &E) {
  const uint32_t Zone = E.Info >> 8;
  const auto Kind = PageStateKind(E.Info & 0xff);
  if (Kind == PageStateKind::Zone) {
    if (!Zone && Out.Recorded)
      return true; // told twice
    if (Zone != Out.Zones.size() || !E.SizeBytes || E.Value >= MaxFrames ||
        E.Index > MaxFrames - E.Value || E.Value < Behind)
      return false;
    unsigned Order = 0;
    while (Order < PageOrders - 1 && 4096u << Order < E.SizeBytes)
      ++Order;
    Behind = E.Value + E.Index;
    Out.Zones.push_back({uint32_t(E.Value), uint32_t(E.Index), Order});
    Out.Limits.emplace_back();
    Out.Recorded = true;
    Out.Before = Out.PageEvents;
    return true;
  }
  if (Zone >= Out.Zones.size())
    return false;
  const ZoneShape &Of = Out.Zones[Zone];
  const auto Order = uint8_t(E.Index), Type = uint8_t(E.Index >> 8);
  auto IsBlock = [&] {
    return E.Value - Of.Start < Of.Frames && Order < PageOrders &&
           Type < PageTypes && !(E.Value & ((1u << Order) - 1)) &&
           E.Value + (1u << Order) <= Of.Start + uint64_t(Of.Frames);
  };
  const auto Frame = uint32_t(E.Value);
  switch (Kind) {
  case PageStateKind::Block:
    if (E.Index < PageTypes && E.Value < MaxFrames)
      Out.Types.push_back({Frame, 0, uint8_t(E.Index), uint16_t(Zone), 0});
    return true;
  case PageStateKind::Free:
    if (!IsBlock())
      return false;
    Out.Free.push_back({Frame, Order, Type, uint16_t(Zone), 0});
    return true;
  case PageStateKind::CpuPage:
    if (!IsBlock() || Type >= CpuPageTypes || (E.Index >> 16) >= MaxPageCpus)
      return false;
    Out.OnCpus.push_back(
        {Frame, Order, Type, uint16_t(Zone), uint16_t(E.Index >> 16)});
    return true;
  case PageStateKind::CpuCounts:
    if (E.Value >= MaxPageCpus)
      return false;
    Out.Cpus.push_back({uint32_t(E.Index), uint32_t(E.Index >> 32 & 0xffff),
                        uint32_t(E.Index >> 48 & 31), uint16_t(Zone),
                        uint16_t(E.Value)});
    return true;
  case PageStateKind::Marks: // limits: the replay takes them as they come
    // The first of each zone is its state; zero until the kernel sets them.
    Out.Booting |= !E.Index;
    return true;
  default:
    return true;
  }
}

void StartReader::page(const TraceEvent &E) {
  ++Out.PageEvents;
  Cpus = std::max(Cpus, E.Stream + 1);
  if (Out.Recorded)
    return;
  const uint64_t Pages = uint64_t(1) << (E.Info & 0xff);
  for (uint64_t I = E.Value; I < E.Value + Pages; ++I) {
    if (!Seen.has(I) && E.Kind == EventKind::PageFree)
      UsedFirst.add(I);
    Seen.add(I);
  }
}

/// Without a state: all frames are free, but those that were freed before they
/// were allocated.
void StartReader::guess() {
  const uint64_t Largest = uint64_t(1) << (PageOrders - 1);
  const uint64_t Frames = (Out.LastFrame / Largest + 1) * Largest;
  Out.Zones = usualZones(Frames);
  for (uint16_t Z = 0; Z < Out.Zones.size(); ++Z) {
    const ZoneShape &Of = Out.Zones[Z];
    Out.Limits.push_back(usualLimits(Of.Frames, Frames, Cpus));
    const uint64_t End = uint64_t(Of.Start) + Of.Frames;
    // As memblock hands memory over: the largest blocks, from below.
    for (uint64_t I = Of.Start; I < End;) {
      unsigned Order = 0;
      while (I && Order + 1 < PageOrders && !(I & ((2u << Order) - 1)) &&
             I + (2u << Order) <= End)
        ++Order;
      auto AnyUsed = [&](unsigned Order) {
        for (uint64_t J = I; J < I + (uint64_t(1) << Order); ++J)
          if (UsedFirst.has(J))
            return true;
        return false;
      };
      while (Order && AnyUsed(Order))
        --Order;
      if (!AnyUsed(Order) && I) // page 0 is never free
        Out.Free.push_back({uint32_t(I), uint8_t(Order), Movable, Z, 0});
      I += uint64_t(1) << Order;
    }
  }
}

void StartReader::dropOverlaps() {
  FrameSet Taken;
  auto Overlaps = [&](const PageStart::Block &Of) {
    const uint64_t End = uint64_t(Of.Frame) + (1u << Of.Order);
    for (uint64_t I = Of.Frame; I < End; ++I)
      if (Taken.has(I)) {
        ++Out.Overlaps;
        return true;
      }
    for (uint64_t I = Of.Frame; I < End; ++I)
      Taken.add(I);
    return false;
  };
  std::erase_if(Out.OnCpus, Overlaps);
  std::erase_if(Out.Free, Overlaps);
}

Result<PageStart> StartReader::read(TraceReader &Trace) {
  for (TraceEvent E; Trace.next(E);) {
    if (E.Kind == EventKind::PageState) {
      if (!state(E))
        return Failure{"the state of the page allocator makes no sense"};
      continue;
    }
    if (E.Kind != EventKind::PageAlloc && E.Kind != EventKind::PageFree)
      continue;
    const unsigned Order = E.Info & 0xff;
    if (Order >= PageOrders || E.Stream >= MaxPageCpus ||
        E.Value >= MaxFrames - (1u << Order) || E.Value & ((1u << Order) - 1))
      return Failure{"a page event of order " + std::to_string(Order) +
                     " or page frame " + std::to_string(E.Value) +
                     ": no such is known, or memory of more than 1 TiB"};
    Out.LastFrame = std::max(Out.LastFrame, E.Value + (1u << Order) - 1);
    page(E);
  }
  if (Trace.failure())
    return *Trace.failure();
  if (!Out.PageEvents)
    return Failure{"no page was allocated or freed: the trace has no page "
                   "events (recorded with filters, or not at all)"};
  if (Out.Recorded)
    dropOverlaps();
  else
    guess();
  return std::move(Out);
}

} // namespace

PageStart PageStart::fresh(uint64_t Frames) {
  PageStart Out;
  Out.Zones = {{0, uint32_t(Frames), BlockOrder}};
  Out.Limits.resize(1);
  const unsigned Largest = PageOrders - 1;
  for (uint64_t I = 0; I + (1u << Largest) <= Frames; I += 1u << Largest)
    Out.Free.push_back({uint32_t(I), Largest, Movable, 0, 0});
  return Out;
}

PageAllocator PageStart::allocator(PagePolicy Policy, ColourLists Colours,
                                   uint64_t Seed) const {
  // No list for colours that no page of the machine has.
  uint64_t End = 1;
  for (const ZoneShape &Of : Zones)
    End = std::max(End, uint64_t(Of.Start) + Of.Frames);
  Colours.Number = uint32_t(std::min<uint64_t>(
      Colours.Number, std::bit_ceil(((End - 1) >> Colours.Order) + 1)));
  PageAllocator To(Zones, Policy, Colours, Seed);
  for (const Block &Of : Types)
    if (To.zones()[Of.Zone].has(Of.Frame))
      To.zones()[Of.Zone].setBlockType(Of.Frame, Of.Type);
  for (const Block &Of : Free)
    To.zones()[Of.Zone].append(Of.Frame, Of.Order, Of.Type);
  for (const Block &Of : OnCpus)
    To.setOnCpuList(Of.Zone, Of.Cpu, Of.Frame, Of.Order, Of.Type);
  for (const Counts &Of : Cpus)
    To.setCounts(Of.Zone, Of.Cpu, Of.High, Of.FreedInRow, Of.Doublings);
  for (unsigned Z = 0; Z < Limits.size(); ++Z)
    To.setLimits(Z, Limits[Z]);
  To.start(Booting);
  return To;
}

Result<PageStart> pageStart(TraceReader &Trace) {
  return StartReader().read(Trace);
}

} // namespace kst
