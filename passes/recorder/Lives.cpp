// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lives of objects and pages: out of entries of the kernel's trace buffer, and
// out of stores of code that has no event.

#include "passes/recorder/Recorder.h"

#include "passes/recorder/Events.h"

namespace kst {

void Recorder::life(Vcpu &V, const KernelEvent &Event, uint64_t Entry) {
  auto Value = [&](size_t I) {
    return I < Event.Values.size() ? Memory.read(Entry, Event.Values[I]) : 0;
  };
  if (Event.Kind == "alloc" || Event.Kind == "free")
    return objectLife(V, Event, Entry);
  if (S.Filter || !Recording)
    return;
  if (Event.Kind.rfind("page-", 0) == 0)
    return pageLife(V, Event, Entry);
  uint64_t Address = S.DirectMap + Value(0) * PageBytes;
  emit(V, event(Event.Kind == "cache-add" ? EventKind::CacheAdd
                                          : EventKind::CacheRemove,
                Address, PageBytes << (Value(4) & 0xff),
                static_cast<uint32_t>(Value(3)), Value(1), Value(2)));
}

void Recorder::pageLife(Vcpu &V, const KernelEvent &Event, uint64_t Entry) {
  auto Value = [&](size_t I) {
    return I < Event.Values.size() ? Memory.read(Entry, Event.Values[I]) : 0;
  };
  EventKind Kind = Event.Kind == "page-alloc"  ? EventKind::PageAlloc
                   : Event.Kind == "page-free" ? EventKind::PageFree
                                               : EventKind::PageDrain;
  if (Value(0) >= Memory.frames()) // an allocation that failed
    return;
  uint32_t Order = static_cast<uint32_t>(Value(1)) & 0xff;
  // What an allocation does to the lists is done when it is told; of a free
  // nothing is. New limits hold for both.
  const bool Told = Pages.isTold();
  if (Told)
    tellPages(V);
  emit(V, event(Kind, S.DirectMap + Value(0) * PageBytes, PageBytes << Order,
                Order | static_cast<uint32_t>(Value(2)) << 8, Value(0)));
  if (!Told && Kind == EventKind::PageAlloc)
    tellPages(V);
}

void Recorder::tellPages(Vcpu &V) {
  std::lock_guard<std::mutex> Held(PagesLock);
  std::vector<uint64_t> PerCpu;
  for (const auto &Of : Cpus)
    PerCpu.push_back(Of->PerCpu);
  for (TraceEvent &E : Pages.changes(PerCpu))
    emit(V, std::move(E));
}

/// Pages are stored into the caller's array, which is neither on the stack of
/// the function nor among the page structs.
void Recorder::pageBulk(Vcpu &V, uint64_t Address) {
  if (S.Filter || !Recording)
    return;
  uint64_t Page = Memory.read(Address), Frame = Memory.frameOfStruct(Page);
  if (Frame >= Memory.frames() || Memory.pageStruct(Frame) != Page ||
      Memory.frameOfStruct(Address) < Memory.frames() ||
      V.Bulk[V.Level].ReturnSlot - Address <= MostStackBytes)
    return;
  emit(V, event(EventKind::PageAlloc, S.DirectMap + Frame * PageBytes,
                PageBytes, 0, Frame));
}

void Recorder::objectLife(Vcpu &V, const KernelEvent &Event, uint64_t Entry) {
  auto Value = [&](size_t I) { return Memory.read(Entry, Event.Values[I]); };
  uint64_t Address = Value(1);
  if (Address < PageBytes) // kfree(NULL), an allocation that failed
    return;
  uint32_t Cache = AllSlabs.cacheOf(Address);
  if (Cache == Slabs::NoCache)
    Cache = LargeCache;
  for (const AddressRange &R : S.ToldAgain)
    if (Event.Kind == "alloc" && R.has(Value(0)))
      return;
  if (Event.Kind == "free")
    freed(V, Address, Cache, Sites.number(Value(0)));
  else
    allocated(V, Address, Value(3), Value(2), Cache, Value(0));
}

void Recorder::allocated(Vcpu &V, uint64_t Address, uint64_t Bytes,
                         uint64_t Asked, uint32_t Cache, uint64_t Caller) {
  if (const WantedSite *Site = Wanted.site(Caller, Asked)) {
    if (Site->WholeCache)
      wantCache(V, Cache);
    if (Recording)
      Wanted.set(Address, Bytes, true);
  }
  if (!Recording || !Wanted.has(Address))
    return;
  TraceEvent E = event(EventKind::Alloc, Address, Bytes, Cache, Asked);
  E.Site = Sites.number(Caller);
  emit(V, std::move(E));
}

void Recorder::wantCache(Vcpu &V, uint32_t Cache) {
  if (!AllSlabs.want(Cache))
    return;
  for (const SlabChange &Slab : AllSlabs.all())
    if (Slab.Cache == Cache) {
      Wanted.set(Slab.Address, Slab.SizeBytes, true);
      if (Recording)
        emitSlab(V, Slab);
    }
}

void Recorder::freed(Vcpu &V, uint64_t Address, uint32_t Cache, uint32_t Site) {
  if (!Recording || !Wanted.has(Address))
    return;
  TraceEvent E = event(EventKind::Free, Address, 0, Cache);
  E.Site = Site;
  emit(V, std::move(E));
  SlabCache Of = AllSlabs.cache(Cache);
  if (S.Filter && Of.Stride && !Of.Wanted)
    Wanted.set(Address, Of.Stride, false);
}

void Recorder::enterBulk(unsigned Cpu) {
  Vcpu &V = of(Cpu);
  V.Bulk[V.Level] = {V.LastStore, Memory.read(V.LastStore)};
}

/// Allocated objects are stored into the caller's array: neither into the stack
/// of the function nor back into the cache. Of freed ones the pointer to the
/// next is stored, once.
void Recorder::bulkLife(Vcpu &V, uint64_t Address, RecordedSite Site) {
  uint64_t Pc = Sites.pc(Site.Number);
  if (S.PageBulk.has(Pc))
    return pageBulk(V, Address);
  if (!Recording)
    return;
  bool Alloc = S.BulkAlloc.has(Pc);
  uint64_t Object = Alloc ? Memory.read(Address) : Address;
  uint32_t Cache = AllSlabs.cacheOf(Object);
  if (Cache == Slabs::NoCache)
    return;
  SlabCache Of = AllSlabs.cache(Cache);
  uint64_t Slot = AllSlabs.slot(Object, Of);
  if (!Alloc) {
    if (Address - Slot == Memory.read(Of.Address, S.CacheFreePointer))
      freed(V, Slot, Cache, Site.Number);
    return;
  }
  const BulkCall &Call = V.Bulk[V.Level];
  uint64_t CpuSlab = V.PerCpu + Memory.read(Of.Address, S.CacheCpu);
  if (Slot == Object && Address != CpuSlab &&
      Call.ReturnSlot - Address > MostStackBytes)
    allocated(V, Object, Of.ObjectBytes, 0, Cache, Call.Caller);
}

/// Of the page whose struct the address is in; 0: in none.
uint64_t Recorder::pageOfStruct(uint64_t Address) const {
  uint64_t Frame = Memory.frameOfStruct(Address);
  return Frame < Memory.frames() ? S.DirectMap + Frame * PageBytes : 0;
}

/// Whether it is in an object of the cache, and a member that was asked for.
bool Recorder::wantedPointer(uint64_t Address, uint32_t Cache) {
  if (Cache == Slabs::NoCache || S.Pointers.empty())
    return false;
  SlabCache Of = AllSlabs.cache(Cache);
  uint64_t Offset = Address - AllSlabs.slot(Address, Of);
  for (const PointerMember &P : S.Pointers)
    if (P.Offset == Offset && isCacheOf(Of.Name, P.Cache))
      return true;
  return false;
}

/// A store to a page struct is told as one to the page: its address is not in
/// the direct map.
void Recorder::pointerStore(Vcpu &V, uint64_t Address, uint32_t Site) {
  uint32_t Cache = AllSlabs.cacheOf(Address);
  uint64_t Page = Cache == Slabs::NoCache ? pageOfStruct(Address) : 0;
  if ((Cache == Slabs::NoCache && !Page) ||
      (S.Filter && !Wanted.has(Page ? Page : Address)))
    return;
  uint64_t Value = Memory.read(Address), ToPage = 0;
  if (!wantedPointer(Address, Cache)) {
    // The lowest bits of a pointer may mean something else.
    uint64_t To = Value & ~uint64_t(7);
    if (!S.AllPointers || !To)
      return;
    ToPage = pageOfStruct(To);
    if (!ToPage && AllSlabs.cacheOf(To) == Slabs::NoCache)
      return;
  }
  uint64_t At = Page ? Page + Address % S.PageStructBytes : Address;
  TraceEvent E =
      event(EventKind::PointerStore, At, 8, Page != 0, Value, ToPage);
  E.Site = Site;
  emit(V, std::move(E));
}

} // namespace kst
