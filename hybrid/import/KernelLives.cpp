// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/KernelLives.h"

#include <algorithm>

namespace kst {
namespace {

/// Of x86-64 with four levels of page tables, and with five, where the map is
/// below all that four have (Documentation/arch/x86/x86_64/mm.rst).
constexpr uint64_t UsualDirectMap = 0xffff888000000000,
                   WideDirectMap = 0xff11000000000000,
                   WideEnd = 0xffff800000000000;
/// What KASLR moves it by is a multiple of this.
constexpr uint64_t MapStep = uint64_t(1) << 30;
constexpr uint64_t KernelHalf = uint64_t(1) << 63;
/// Below it is no object: kfree(NULL), an allocation that failed.
constexpr uint64_t LeastObject = 4096;
constexpr uint64_t MostOrder = 20, MostFrame = uint64_t(1) << 52;

/// Bits of gfp_flags by which kmalloc() chooses among caches of one size
/// (include/linux/gfp_types.h, slab.h).
enum : uint64_t { GfpDma = 1, GfpReclaimable = 0x10, GfpAccount = 0x400000 };
constexpr uint64_t MostCacheBytes = 8192;

uint32_t small(uint64_t Number) {
  return static_cast<uint32_t>(std::min<uint64_t>(Number, ~0u));
}

std::string sizeName(uint64_t Bytes) {
  return Bytes >= 1024 && Bytes % 1024 == 0 ? std::to_string(Bytes / 1024) + "k"
                                            : std::to_string(Bytes);
}

/// Whatever runs has one for each context that can interrupt another. CPUs
/// share the number of the idle task.
uint64_t runningOf(const KernelRecord &R) {
  constexpr uint8_t Contexts =
      KernelRecord::InSoftirq | KernelRecord::InHardirq | KernelRecord::InNmi;
  const uint64_t Task = R.HasTask && R.Task ? R.Task : ~uint64_t(R.Stream);
  return Task << 8 | (R.Inside & Contexts);
}

bool isLarge(const KernelRecord &R) {
  return R.What == KernelRecord::Kmalloc && R.Bytes > MostCacheBytes &&
         R.Address >= LeastObject;
}

bool isPage(const KernelRecord &R) {
  return R.Page < MostFrame && R.Order <= MostOrder;
}

} // namespace

size_t KernelLives::KeyHash::operator()(const Key &K) const {
  uint64_t Hash = K.Caller;
  for (uint64_t Part : {K.Asked, K.Bytes})
    Hash = (Hash ^ Part) * 0x9e3779b97f4a7c15 + (Hash >> 29);
  return Hash;
}

uint32_t KernelLives::site(uint64_t Address, bool Call) {
  auto [At, New] = SiteOf[Call].try_emplace(Address, small(Sites.size()));
  if (New) {
    Sites.emplace_back();
    Sites.back().Address = Address;
    Sites.back().Call = Call;
  }
  return At->second;
}

uint32_t KernelLives::cache(std::string_view Name, uint64_t SlotBytes,
                            uint64_t ObjectBytes, EventCache::Kind What) {
  auto [At, New] = CacheOf.try_emplace(std::string(Name), small(Caches.size()));
  if (New) {
    Caches.emplace_back();
    Caches.back().Name = Name;
    Caches.back().What = What;
  }
  EventCache &Of = Caches[At->second];
  if (!Of.SlotBytes) {
    Of.SlotBytes = small(SlotBytes);
    Of.ObjectBytes = small(ObjectBytes);
  }
  return At->second;
}

uint32_t KernelLives::kmallocCache(const KernelRecord &R) {
  if (R.Bytes > MostCacheBytes)
    return cache("pages", 0, 0, EventCache::WholePages);
  const char *Kind = R.Flags & GfpDma           ? "dma-kmalloc-"
                     : R.Flags & GfpReclaimable ? "kmalloc-rcl-"
                     : R.Flags & GfpAccount     ? "kmalloc-cg-"
                                                : "kmalloc-";
  return cache(Kind + sizeName(R.Bytes), R.Bytes, R.Bytes, EventCache::OfSizes);
}

/// A slab is made when an allocation finds none: the object is in the pages
/// that the same task got last.
void KernelLives::voteForMap(const KernelRecord &R) {
  auto At = PageOf.find(R.Stream);
  if (At == PageOf.end() || !At->second.Bytes)
    return;
  const LastPage Of = At->second;
  At->second.Bytes = 0;
  uint64_t Base = R.Address - Of.Frame * PageBytes;
  if (Of.Task == R.Task && Base >= KernelHalf && Base % MapStep < Of.Bytes)
    ++MapVotes[Base - Base % MapStep];
}

/// An event that allocates or frees; an allocation has the number
/// `Allocations`.
void KernelLives::pairLarge(const KernelRecord &R) {
  const uint64_t Running = runningOf(R);
  auto At = LargeOf.find(Running);
  const bool Again =
      At != LargeOf.end() && isLarge(R) && At->second.Address == R.Address &&
      At->second.Asked == R.Asked && At->second.Caller != R.Caller;
  if (Again) {
    ToldAgain.insert(At->second.Number);
    --Counts.Allocations;
  }
  if (At != LargeOf.end())
    LargeOf.erase(At);
  if (isLarge(R) && !Again)
    LargeOf[Running] = {R.Address, R.Asked, R.Caller, Allocations};
}

void KernelLives::surveyAlloc(const KernelRecord &R) {
  if (R.Address < LeastObject)
    return;
  ++Counts.Allocations;
  voteForMap(R);
  Wide |= R.Address >= WideDirectMap && R.Address < WideEnd;
  uint64_t Number = Allocations++;
  uint32_t At = site(R.Caller, true);
  EventSite &Site = Sites[At];
  Site.Allocates = true;
  uint32_t Row = None;
  if (R.What == KernelRecord::Kmalloc)
    Row = kmallocCache(R);
  else if (!R.Name.empty())
    Row = cache(R.Name, R.Bytes, R.Asked, EventCache::Named);
  if (Row != None) {
    Site.Several |= Site.Allocator != NoAllocator && Site.Allocator != Row;
    Site.Allocator = Row;
    Lives.erase(R.Address);
    return;
  }
  auto [Found, New] =
      KeyOf.try_emplace({R.Caller, R.Asked, R.Bytes}, small(Keys.size()));
  if (New)
    Keys.push_back({{R.Caller, R.Asked, R.Bytes}, None});
  Lives[R.Address] = {Found->second, Number};
}

void KernelLives::surveyFree(const KernelRecord &R) {
  if (R.Address < LeastObject)
    return;
  site(R.Caller, true);
  auto At = Lives.find(R.Address);
  if (!R.Name.empty()) {
    const Key *Of = At == Lives.end() ? nullptr : &Keys[At->second.Key].first;
    uint32_t Row = cache(R.Name, Of ? Of->Bytes : 0, Of ? Of->Asked : 0,
                         EventCache::Named);
    if (Of) {
      uint32_t &First = Keys[At->second.Key].second;
      if (First == None)
        First = Row;
      else if (First != Row)
        OtherCache[At->second.Number] = Row;
    }
  }
  if (At != Lives.end())
    Lives.erase(At);
}

void KernelLives::survey(const KernelRecord &R) {
  Counts.Lost += R.LostBefore;
  Streams.insert(R.Stream);
  if (R.What == KernelRecord::Other) {
    ++Counts.Others;
    return;
  }
  Counts.FirstTime = std::min(Counts.FirstTime, R.Time);
  Counts.LastTime = std::max(Counts.LastTime, R.Time);
  if (R.What >= KernelRecord::Kmalloc &&
      R.What <= KernelRecord::PageFreeBatched)
    pairLarge(R);
  switch (R.What) {
  case KernelRecord::Kmalloc:
  case KernelRecord::CacheAlloc:
    return surveyAlloc(R);
  case KernelRecord::Kfree:
  case KernelRecord::CacheFree:
    return surveyFree(R);
  case KernelRecord::PageAlloc:
    Pages = true;
    if (isPage(R))
      PageOf[R.Stream] = {R.Page, uint64_t(PageBytes) << R.Order, R.Task};
    return;
  case KernelRecord::PageFree:
    Pages = FreesPages = true;
    return;
  case KernelRecord::FileAdd:
  case KernelRecord::FileRemove:
    Pages = true;
    return;
  case KernelRecord::Sample: {
    EventSite &Site = Sites[site(R.Caller, false)];
    ++Site.Count;
    ++Counts.Samples;
    Site.Access |= R.Access;
    Site.MostBytes = std::max(Site.MostBytes, small(R.Bytes));
    return;
  }
  default:
    return;
  }
}

void KernelLives::finish() {
  Lives.clear();
  Allocations = 0;
  for (auto &[Of, Row] : Keys) {
    if (Row == None) {
      Row = cache("kmem_cache-" + std::to_string(Of.Asked), Of.Bytes, Of.Asked,
                  EventCache::Named);
      Caches[Row].Nameless = true;
    }
    EventSite &Site = Sites[SiteOf[true].at(Of.Caller)];
    Site.Several |= Site.Allocator != NoAllocator && Site.Allocator != Row;
    Site.Allocator = Row;
  }
  if (DirectMap)
    return;
  DirectMap = Wide ? WideDirectMap : UsualDirectMap;
  for (const auto &[Base, Count] : MapVotes)
    if (Count > Votes) {
      Votes = Count;
      DirectMap = Base;
    }
}

uint32_t KernelLives::cacheOfAlloc(const KernelRecord &R, uint64_t Number) {
  if (R.What == KernelRecord::Kmalloc)
    return kmallocCache(R);
  if (!R.Name.empty())
    return cache(R.Name, R.Bytes, R.Asked, EventCache::Named);
  if (auto At = OtherCache.find(Number); At != OtherCache.end())
    return At->second;
  auto At = KeyOf.find({R.Caller, R.Asked, R.Bytes});
  return At == KeyOf.end() ? NoAllocator : Keys[At->second].second;
}

TraceEvent KernelLives::pages(const KernelRecord &R, EventKind Kind) const {
  TraceEvent E;
  E.Kind = Kind;
  E.Site = NoTraceSite;
  E.Address = DirectMap + R.Page * PageBytes;
  E.SizeBytes = small(uint64_t(PageBytes) << R.Order);
  return E;
}

void KernelLives::emit(TraceEvent E, const Sink &Out) {
  if (auto At = LostOf.find(E.Stream); At != LostOf.end()) {
    E.LostBefore = At->second;
    LostOf.erase(At);
  }
  ++Counts.Events;
  Out(E);
}

/// What ran when the event happened, where that has changed.
void KernelLives::contexts(const KernelRecord &R, const Sink &Out) {
  Context &Of = ContextOf[R.Stream];
  TraceEvent E;
  E.Kind = EventKind::Context;
  E.Site = NoTraceSite;
  E.Time = R.Time;
  E.Stream = R.Stream;
  auto Task = [&](uint32_t Id) {
    if (Of.Task == Id)
      return;
    Of.Task = Id;
    E.Info = static_cast<uint32_t>(ContextKind::Task);
    E.Index = 1;
    E.Value = Id;
    emit(E, Out);
  };
  auto Inside = [&](uint8_t Bit, ContextKind Kind, bool In) {
    if (In == bool(Of.Inside & Bit))
      return;
    Of.Inside ^= Bit;
    E.Info = static_cast<uint32_t>(Kind);
    E.Index = In;
    E.Value = 0;
    emit(E, Out);
  };
  if (R.HasTask)
    Task(R.Task);
  if (R.Inside != KernelRecord::NotKnown)
    for (auto [Bit, Kind] :
         {std::pair{KernelRecord::InSoftirq, ContextKind::Softirq},
          {KernelRecord::InHardirq, ContextKind::Hardirq},
          {KernelRecord::InNmi, ContextKind::Nmi}})
      Inside(Bit, Kind, R.Inside & Bit);
  switch (R.What) {
  case KernelRecord::Switch:
    return Task(small(R.Number));
  case KernelRecord::SoftirqIn:
  case KernelRecord::SoftirqOut:
    return Inside(KernelRecord::InSoftirq, ContextKind::Softirq,
                  R.What == KernelRecord::SoftirqIn);
  case KernelRecord::HardirqIn:
  case KernelRecord::HardirqOut:
    return Inside(KernelRecord::InHardirq, ContextKind::Hardirq,
                  R.What == KernelRecord::HardirqIn);
  case KernelRecord::CallIn:
  case KernelRecord::CallOut:
    E.Info = static_cast<uint32_t>(ContextKind::SystemCall);
    E.Index = R.What == KernelRecord::CallIn;
    E.Value = R.Number;
    return emit(E, Out);
  default:
    return;
  }
}

void KernelLives::convert(const KernelRecord &R, const Sink &Out) {
  if (R.LostBefore)
    LostOf[R.Stream] += R.LostBefore;
  if (R.What == KernelRecord::Other)
    return;
  contexts(R, Out);
  TraceEvent E;
  switch (R.What) {
  case KernelRecord::Kmalloc:
  case KernelRecord::CacheAlloc: {
    if (R.Address < LeastObject)
      return;
    const uint64_t Number = Allocations++;
    if (ToldAgain.count(Number))
      return;
    E.Kind = EventKind::Alloc;
    E.Address = R.Address;
    E.SizeBytes = small(R.Bytes);
    E.Value = R.Asked;
    E.Site = site(R.Caller, true);
    E.Info = Owner[R.Address] = cacheOfAlloc(R, Number);
    break;
  }
  case KernelRecord::Kfree:
  case KernelRecord::CacheFree: {
    if (R.Address < LeastObject)
      return;
    E.Kind = EventKind::Free;
    E.Address = R.Address;
    E.Site = site(R.Caller, true);
    auto At = Owner.find(R.Address);
    E.Info = !R.Name.empty()     ? cache(R.Name, 0, 0, EventCache::Named)
             : At != Owner.end() ? At->second
                                 : NoAllocator;
    if (At != Owner.end())
      Owner.erase(At);
    break;
  }
  case KernelRecord::PageAlloc:
  case KernelRecord::PageFree:
  case KernelRecord::PageFreeBatched:
    if (!isPage(R) || (R.What == KernelRecord::PageFreeBatched && FreesPages))
      return;
    E = pages(R, R.What == KernelRecord::PageAlloc ? EventKind::PageAlloc
                                                   : EventKind::PageFree);
    E.Value = R.Page;
    E.Info = small(R.Order) | (small(R.MigrateType) & 0xffff) << 8;
    break;
  case KernelRecord::FileAdd:
  case KernelRecord::FileRemove:
    if (!isPage(R))
      return;
    E = pages(R, R.What == KernelRecord::FileAdd ? EventKind::CacheAdd
                                                 : EventKind::CacheRemove);
    E.Value = R.Inode;
    E.Index = R.Index;
    E.Info = small(R.Device);
    break;
  case KernelRecord::Sample:
    E.Kind = EventKind::Access;
    E.Address = R.Address;
    E.SizeBytes = small(R.Bytes);
    E.Access = R.Access;
    E.Site = site(R.Caller, false);
    break;
  default:
    return;
  }
  E.Time = R.Time;
  E.Stream = R.Stream;
  emit(E, Out);
}

} // namespace kst
