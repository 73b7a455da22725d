// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/recorder/Slabs.h"

#include <algorithm>
#include <utility>

namespace kst {

static constexpr uint64_t MostPages = 1024;
static constexpr size_t MostName = 63;

Slabs::Slabs(const RecorderSettings &S, const Guest &Memory)
    : S(S), Memory(Memory) {}

void Slabs::start() {
  if (!S.SlabCache.SizeBytes || (!S.SlabType && S.SlabFlag == ~0ull))
    return;
  Pages = std::make_unique<Page[]>(Memory.frames());
  Frames = Memory.frames();
}

bool Slabs::isSlab(uint64_t Page) const {
  if (S.SlabType)
    return Memory.read(Page, S.PageType) >> 24 == S.SlabType;
  return Memory.read(Page, S.PageFlags) >> S.SlabFlag & 1;
}

bool Slabs::wanted(const std::string &Cache) const {
  return !S.Filter || std::any_of(S.WantedCaches.begin(), S.WantedCaches.end(),
                                  [&](const std::string &Name) {
                                    return isCacheOf(Cache, Name);
                                  });
}

uint32_t Slabs::find(uint64_t Address) {
  if (!Memory.inDirectMap(Address) || Address % 8)
    return NoCache;
  SlabCache New;
  New.Address = Address;
  New.Name = Memory.text(Memory.read(Address, S.CacheName), MostName);
  New.Stride = static_cast<uint32_t>(Memory.read(Address, S.CacheBytes));
  New.ObjectBytes =
      static_cast<uint32_t>(Memory.read(Address, S.CacheObjectBytes));
  if (New.Name.empty() || !New.Stride)
    return NoCache;
  // A cache can go and another take its place.
  for (size_t I = 0; I < Caches.size(); ++I)
    if (Caches[I].Address == Address && Caches[I].Name == New.Name &&
        Caches[I].Stride == New.Stride)
      return static_cast<uint32_t>(I);
  New.Wanted = wanted(New.Name);
  Caches.push_back(New);
  return static_cast<uint32_t>(Caches.size() - 1);
}

/// How many pages behind one another name this one as their head.
uint64_t Slabs::pages(uint64_t Frame) const {
  uint64_t Count = 1;
  while (Count < MostPages && Frame + Count < Frames &&
         Memory.read(Memory.pageStruct(Frame + Count), S.PageHead) ==
             (Memory.pageStruct(Frame) | 1))
    ++Count;
  return Count;
}

bool Slabs::change(uint64_t Address, unsigned Bytes, SlabChange &What) {
  uint64_t Frame = Memory.frameOfStruct(Address);
  uint64_t Struct = Memory.pageStruct(Frame);
  auto Overlaps = [&](MemberPlace M) {
    return M.SizeBytes && Address < Struct + M.Offset + M.SizeBytes &&
           Address + Bytes > Struct + M.Offset;
  };
  if (!Overlaps(S.SlabCache) &&
      !Overlaps(S.SlabType ? S.PageType : S.PageFlags))
    return false;
  std::lock_guard<std::mutex> Held(Lock);
  uint32_t Cache = NoCache;
  if (isSlab(Struct))
    Cache = find(Memory.read(Struct, S.SlabCache));
  uint32_t Old = Pages[Frame].Cache;
  if (Cache == Old || (Old != NoCache && Pages[Frame].Head != Frame))
    return false;
  uint64_t Count = 1;
  if (Cache != NoCache) {
    Count = pages(Frame);
  } else {
    while (Frame + Count < Frames && Pages[Frame + Count].Cache != NoCache &&
           Pages[Frame + Count].Head == Frame)
      ++Count;
  }
  for (uint64_t I = Frame; I < Frame + Count; ++I) {
    Pages[I].Cache = Cache;
    Pages[I].Head = static_cast<uint32_t>(Frame);
  }
  What = {S.DirectMap + Frame * PageBytes,
          static_cast<uint32_t>(Count * PageBytes), Cache};
  return true;
}

uint32_t Slabs::cacheOf(uint64_t Address) const {
  if (!Frames || !Memory.inDirectMap(Address))
    return NoCache;
  return Pages[Memory.frameOf(Address)].Cache;
}

uint64_t Slabs::slot(uint64_t Address, const SlabCache &Cache) const {
  uint64_t Begin =
      S.DirectMap + Pages[Memory.frameOf(Address)].Head * PageBytes;
  return Address - (Address - Begin) % Cache.Stride;
}

std::vector<SlabChange> Slabs::all() {
  std::lock_guard<std::mutex> Held(Lock);
  std::vector<SlabChange> Out;
  for (uint64_t Frame = 0; Frame < Frames; ++Frame) {
    uint32_t Cache = Pages[Frame].Cache;
    if (Cache == NoCache)
      continue;
    if (Pages[Frame].Head == Frame)
      Out.push_back({S.DirectMap + Frame * PageBytes, 0, Cache});
    if (!Out.empty())
      Out.back().SizeBytes += PageBytes;
  }
  return Out;
}

uint32_t Slabs::other(const std::string &Name) {
  std::lock_guard<std::mutex> Held(Lock);
  for (size_t I = 0; I < Caches.size(); ++I)
    if (!Caches[I].Address && Caches[I].Name == Name)
      return static_cast<uint32_t>(I);
  Caches.push_back({0, Name, 0, 0, !S.Filter});
  return static_cast<uint32_t>(Caches.size() - 1);
}

bool Slabs::want(uint32_t Cache) {
  std::lock_guard<std::mutex> Held(Lock);
  return Caches[Cache].Address && !std::exchange(Caches[Cache].Wanted, true);
}

std::vector<SlabCache> Slabs::takeNew(size_t &First) {
  std::lock_guard<std::mutex> Held(Lock);
  First = Told;
  Told = Caches.size();
  return {Caches.begin() + static_cast<ptrdiff_t>(First), Caches.end()};
}

SlabCache Slabs::cache(uint32_t Row) {
  std::lock_guard<std::mutex> Held(Lock);
  return Caches[Row];
}

} // namespace kst
