// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/ObjectTable.h"

#include "hybrid/trace/AllocatorCode.h"

#include <algorithm>

namespace kst {

/// More is no object: a trace that says so is believed this far.
static constexpr uint64_t MostBytes = uint64_t(1) << 24;
/// SLUB counts the slots of a slab in 15 bits.
static constexpr uint64_t MostSlots = (1 << 15) - 1;

template <typename T>
static uint32_t takeRow(std::vector<T> &Rows, std::vector<uint32_t> &Unused,
                        const T &Row) {
  if (Unused.empty()) {
    Rows.push_back(Row);
    return static_cast<uint32_t>(Rows.size() - 1);
  }
  uint32_t At = Unused.back();
  Unused.pop_back();
  Rows[At] = Row;
  return At;
}

ObjectTable::ObjectTable(const TraceTables &Tables)
    : Tables(Tables), Known(KnownPages) {
  for (const MeasuredSite &Site : Tables.About.Sites)
    SiteUses.push_back({Site.Struct, Site.OffsetBytes,
                        isAllocatorCode(Tables.About.text(Site.File))});
}

void ObjectTable::apply(const TraceEvent &E) {
  switch (E.Kind) {
  case EventKind::Alloc:
    TellsLives = true;
    freeSlot(E.Address);
    return alloc(E);
  case EventKind::Free:
    TellsLives = true;
    free(E.Address);
    return freeSlot(E.Address);
  case EventKind::Slab:
    if (!E.Value)
      return clear(E, /*PagesToo=*/false);
    return setBlock(E, &PageState::Slab);
  case EventKind::PageAlloc:
    clear(E, /*PagesToo=*/true);
    return setBlock(E, &PageState::Pages);
  case EventKind::PageFree:
    return clear(E, /*PagesToo=*/true);
  case EventKind::CacheAdd:
  case EventKind::CacheRemove: {
    auto At = PageStates.find(E.Address >> PageShift);
    if (At != PageStates.end() && At->second.Pages != None)
      Blocks[At->second.Pages].Cached = E.Kind == EventKind::CacheAdd;
    return;
  }
  case EventKind::Access:
  case EventKind::Context:
  case EventKind::PointerStore:
  case EventKind::PageState:
  case EventKind::PageDrain:
    return;
  }
}

void ObjectTable::alloc(const TraceEvent &E) {
  uint64_t Size = std::clamp<uint64_t>(E.SizeBytes, 1, MostBytes);
  if (E.Address + Size < E.Address)
    return;
  endAll(E.Address, E.Address + Size);
  uint32_t Struct = NoStruct;
  if (E.Info < Tables.Allocators.size())
    Struct = Tables.Allocators[E.Info].Struct;
  if (E.Site < Tables.Allocates.size() && Tables.Allocates[E.Site] != NoStruct)
    Struct = Tables.Allocates[E.Site];
  uint32_t Row = takeRow(
      Lives, FreeLives,
      {E.Address, ++Numbers, static_cast<uint32_t>(Size), E.Info, Struct});
  for (uint64_t Page = E.Address >> PageShift;
       Page <= (E.Address + Size - 1) >> PageShift; ++Page) {
    auto &In = makePage(Page).Lives;
    auto At = std::find_if(In.begin(), In.end(), [&](uint32_t Other) {
      return Lives[Other].Address > E.Address;
    });
    In.insert(At, Row);
  }
}

void ObjectTable::end(uint32_t Row) {
  const Life &L = Lives[Row];
  for (uint64_t Page = L.Address >> PageShift;
       Page <= (L.Address + L.SizeBytes - 1) >> PageShift; ++Page) {
    std::erase(PageStates.at(Page).Lives, Row);
    dropIfEmpty(Page);
  }
  Lives[Row].SizeBytes = 0;
  FreeLives.push_back(Row);
}

uint32_t ObjectTable::findLife(const PageState &In, uint64_t Address) const {
  auto At = std::upper_bound(
      In.Lives.begin(), In.Lives.end(), Address,
      [&](uint64_t A, uint32_t Row) { return A < Lives[Row].Address; });
  if (At == In.Lives.begin())
    return None;
  const Life &L = Lives[*--At];
  return Address - L.Address < L.SizeBytes ? *At : None;
}

void ObjectTable::free(uint64_t Address) {
  auto At = PageStates.find(Address >> PageShift);
  uint32_t Row = At == PageStates.end() ? None : findLife(At->second, Address);
  if (Row == None || Lives[Row].Address != Address)
    ++UnknownFrees;
  else
    end(Row);
}

ObjectTable::SlotUse *ObjectTable::slotUse(const PageState &In,
                                           uint64_t Address) {
  if (In.Slab == None)
    return nullptr;
  Block &B = Blocks[In.Slab];
  const uint64_t Slot = (Address - B.Address) / B.Stride;
  return Slot < B.Slots.size() ? &B.Slots[Slot] : nullptr;
}

void ObjectTable::freeSlot(uint64_t Address) {
  auto At = PageStates.find(Address >> PageShift);
  if (At == PageStates.end())
    return;
  if (SlotUse *Use = slotUse(At->second, Address))
    *Use = SlotUse::Free;
}

void ObjectTable::endAll(uint64_t Begin, uint64_t End) {
  for (uint64_t Page = Begin >> PageShift; Page <= (End - 1) >> PageShift;
       ++Page) {
    auto At = PageStates.find(Page);
    if (At == PageStates.end())
      continue;
    std::vector<uint32_t> Gone;
    for (uint32_t Row : At->second.Lives)
      if (Lives[Row].Address < End &&
          Lives[Row].Address + Lives[Row].SizeBytes > Begin)
        Gone.push_back(Row);
    for (uint32_t Row : Gone)
      end(Row);
    ImplicitFrees += Gone.size();
  }
}

void ObjectTable::dropBlock(uint32_t &Which) {
  if (Which != None && !--Blocks[Which].Pages) {
    Blocks[Which].Slots = {};
    FreeBlocks.push_back(Which);
  }
  Which = None;
}

void ObjectTable::setBlock(const TraceEvent &E, uint32_t PageState::*Which) {
  bool Slab = E.Kind == EventKind::Slab;
  uint64_t First = E.Address >> PageShift;
  uint64_t Count = std::min<uint64_t>(E.SizeBytes, MostBytes) >> PageShift;
  if (!Count || First + Count > uint64_t(1) << (64 - PageShift))
    return;
  const uint64_t Stride =
      Slab ? std::clamp<uint64_t>(E.Value, 1, MostBytes) : 0;
  Block New{First << PageShift,
            Slab ? 0 : ++Numbers,
            E.SizeBytes,
            Slab ? E.Info : NoAllocator,
            static_cast<uint32_t>(Stride),
            static_cast<uint32_t>(Count),
            false,
            {}};
  if (Slab)
    New.Slots.assign(std::min(MostSlots, (Count << PageShift) / Stride),
                     TellsLives ? SlotUse::Free : SlotUse::Unknown);
  uint32_t Row = takeRow(Blocks, FreeBlocks, New);
  for (uint64_t Page = First; Page < First + Count; ++Page) {
    PageState &Of = makePage(Page);
    dropBlock(Of.*Which);
    Of.*Which = Row;
  }
}

void ObjectTable::clear(const TraceEvent &E, bool PagesToo) {
  uint64_t Begin = E.Address >> PageShift << PageShift;
  uint64_t Size =
      std::min<uint64_t>(E.SizeBytes, MostBytes) >> PageShift << PageShift;
  if (!Size || Begin + Size < Begin)
    return;
  endAll(Begin, Begin + Size);
  for (uint64_t Page = Begin >> PageShift; Page < (Begin + Size) >> PageShift;
       ++Page) {
    auto At = PageStates.find(Page);
    if (At == PageStates.end())
      continue;
    if (PagesToo)
      dropBlock(At->second.Pages);
    dropBlock(At->second.Slab);
    dropIfEmpty(Page);
  }
}

ObjectTable::PageState &ObjectTable::makePage(uint64_t Page) {
  Known[Page % KnownPages] = {};
  return PageStates[Page];
}

void ObjectTable::dropIfEmpty(uint64_t Page) {
  auto At = PageStates.find(Page);
  if (!At->second.empty())
    return;
  Known[Page % KnownPages] = {};
  PageStates.erase(At);
}

/// The first of the objects that begins behind the address.
template <typename Row>
static Row firstBehind(Row Begin, Row End, uint64_t Address) {
  return std::upper_bound(
      Begin, End, Address,
      [](uint64_t A, const TraceObject &O) { return A < O.Address; });
}

const ObjectTable::KnownPage &ObjectTable::known(uint64_t Page) const {
  KnownPage &Of = Known[Page % KnownPages];
  if (Of.Page == Page)
    return Of;
  const auto Begin = Tables.Objects.begin(), End = Tables.Objects.end();
  const uint64_t Address = Page << PageShift;
  const auto First = firstBehind(Begin, End, Address);
  const auto Last = firstBehind(First, End, Address + (1 << PageShift) - 1);
  auto At = PageStates.find(Page);
  Of = {Page, At == PageStates.end() ? nullptr : &At->second,
        static_cast<uint32_t>(First - Begin),
        static_cast<uint32_t>(Last - Begin)};
  return Of;
}

TracePlace ObjectTable::staticPlace(const KnownPage &Page,
                                    uint64_t Address) const {
  TracePlace Out;
  const auto Begin = Tables.Objects.begin();
  auto At = firstBehind(Begin + Page.First, Begin + Page.Last, Address);
  if (At == Begin)
    return Out;
  const TraceObject &O = *--At;
  if ((Address - O.Address) / O.SizeBytes >= O.Number)
    return Out;
  Out.What = TracePlace::Static;
  Out.Struct = O.Struct;
  Out.OffsetBytes = static_cast<uint32_t>((Address - O.Address) % O.SizeBytes);
  Out.SizeBytes = O.SizeBytes;
  Out.Object = Address - Out.OffsetBytes;
  Out.Cpu = O.Cpu;
  return Out;
}

TracePlace ObjectTable::place(uint64_t Address) const {
  const KnownPage &Page = known(Address >> PageShift);
  return Page.State ? placeIn(Page, Address) : staticPlace(Page, Address);
}

TracePlace ObjectTable::placeIn(const KnownPage &Page, uint64_t Address) const {
  const PageState &In = *Page.State;
  TracePlace Out;
  if (uint32_t Row = findLife(In, Address); Row != None) {
    const Life &L = Lives[Row];
    Out.What = TracePlace::Allocated;
    Out.Struct = L.Struct;
    Out.SizeBytes = L.SizeBytes;
    Out.Allocator = L.Allocator;
    Out.Object = L.Address;
    Out.Number = L.Number;
  } else if (In.Slab != None) {
    const Block &B = Blocks[In.Slab];
    const uint64_t Slot = (Address - B.Address) / B.Stride;
    Out.What = Slot < B.Slots.size() && B.Slots[Slot] == SlotUse::Object
                   ? TracePlace::Slot
                   : TracePlace::FreeSlot;
    Out.Allocator = B.Allocator;
    Out.SizeBytes = B.Stride;
    if (Out.What == TracePlace::Slot &&
        B.Allocator < Tables.Allocators.size()) {
      const TraceAllocator &Of = Tables.Allocators[B.Allocator];
      Out.Struct = Of.Struct;
      Out.SizeBytes = Of.ObjectBytes ? Of.ObjectBytes : B.Stride;
    }
    Out.Object = B.Address + Slot * B.Stride;
  } else if (TracePlace Fixed = staticPlace(Page, Address);
             Fixed.What || In.Pages == None) {
    return Fixed;
  } else {
    const Block &B = Blocks[In.Pages];
    Out.What = B.Cached ? TracePlace::CachedPage : TracePlace::Page;
    Out.SizeBytes = B.SizeBytes;
    Out.Object = B.Address;
    Out.Number = B.Number;
  }
  Out.OffsetBytes = static_cast<uint32_t>(Address - Out.Object);
  return Out;
}

TracePlace ObjectTable::place(const TraceEvent &E) {
  static constexpr SiteUse NoSite{NoStruct, 0, false};
  const SiteUse &Site = E.Site < SiteUses.size() ? SiteUses[E.Site] : NoSite;
  TracePlace Out = place(E.Address);
  if (Out.What == TracePlace::FreeSlot && E.Kind == EventKind::Access &&
      !Site.OfAllocator) {
    SlotUse *Use = slotUse(PageStates.at(E.Address >> PageShift), E.Address);
    if (Use && *Use == SlotUse::Unknown) {
      *Use = SlotUse::Object;
      Out = place(E.Address);
    }
  }
  if (Site.Struct == NoStruct)
    return Out;
  Out.What = TracePlace::Allocated;
  Out.Struct = Site.Struct;
  const bool Element = E.Kind == EventKind::Access;
  Out.OffsetBytes =
      Site.OffsetBytes + (Element ? static_cast<uint32_t>(E.Index) : 0);
  Out.Object = E.Address - Out.OffsetBytes;
  return Out;
}

} // namespace kst
