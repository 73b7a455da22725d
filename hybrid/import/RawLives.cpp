// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/RawLives.h"

#include <charconv>

namespace kst {
namespace {

/// Alignment alone is added to a struct of a cache of its own.
constexpr uint32_t Alignment = 8;

/// The largest of the structs that the objects hold, or null.
template <typename F>
const AccessedStruct *largest(const std::set<uint32_t> &Of,
                              const std::vector<AccessedStruct> &Structs,
                              F &&Holds) {
  const AccessedStruct *Found = nullptr;
  for (uint32_t Number : Of)
    if (const AccessedStruct &S = Structs[Number];
        Holds(S) && (!Found || S.SizeBytes > Found->SizeBytes))
      Found = &S;
  return Found;
}

/// An address without a name is its own.
CallerPlace placeOf(uint64_t Address, const CallerNames &Names) {
  CallerPlace Place = Names ? Names(Address) : CallerPlace();
  if (!Place.Function.empty())
    return Place;
  char Text[20] = "0x";
  *std::to_chars(Text + 2, std::end(Text) - 1, Address, 16).ptr = 0;
  return {Text, Text, "", 0, 0};
}

} // namespace

bool RawLives::Cache::ofSizes() const {
  return Name.starts_with("kmalloc-") || Name.starts_with("dma-kmalloc-");
}

void RawLives::cache(const RawTraceRecord &R) {
  if (CacheRow.try_emplace(R.Number, uint32_t(Caches.size())).second) {
    Caches.emplace_back();
    Caches.back().Name = R.Name;
    Caches.back().SlotBytes = R.SizeBytes;
    Caches.back().ObjectBytes = R.ObjectBytes;
  }
}

uint32_t RawLives::rowOf(uint32_t Number) const {
  auto At = CacheRow.find(Number);
  return At == CacheRow.end() ? NoAllocator : At->second;
}

void RawLives::life(const RawTraceEvent &E, const RawLife &Of) {
  Caller &By = Callers[Of.Caller];
  if (E.Site == KST_LIFE_FREE) {
    Lives.erase(E.Address);
    return;
  }
  const uint32_t Row = rowOf(Of.Cache);
  By.Several |= By.Allocations && By.Cache != Row;
  By.Named |= Row == NoAllocator || !Caches[Row].ofSizes();
  By.Cache = Row;
  By.LeastAsked = std::min(By.LeastAsked, Of.Asked);
  By.MostAsked = std::max(By.MostAsked, Of.Asked);
  ++By.Allocations;
  Lives[E.Address] = {Row, &By, NoStruct};
}

void RawLives::access(uint64_t Object, uint32_t Struct) {
  auto At = Lives.find(Object);
  if (At == Lives.end() || At->second.Last == Struct)
    return;
  Live &Of = At->second;
  Of.Last = Struct;
  Of.By->Begin.insert(Struct);
  if (Of.Cache != NoAllocator)
    Caches[Of.Cache].Begin.insert(Struct);
}

void RawLives::name(ProfileBuilder &Make, const CallerNames &Names,
                    const std::vector<AccessedStruct> &Structs) {
  auto Named = [&](const std::string &Name, uint32_t SizeBytes,
                   TypeSource Source) {
    const uint32_t Row = Make.structure(Name, SizeBytes);
    Sources.push_back({Row, Source});
    return Row;
  };
  for (Cache &Of : Caches) {
    if (Of.ofSizes())
      continue;
    const AccessedStruct *Found =
        largest(Of.Begin, Structs, [&](const AccessedStruct &S) {
          return S.Name == Of.Name ||
                 (S.SizeBytes <= Of.ObjectBytes &&
                  Of.ObjectBytes - S.SizeBytes < Alignment);
        });
    Of.Struct = Found ? Found->Row
                      : Named(Of.Name, Of.ObjectBytes, TypeSource::Allocator);
  }
  for (auto &[Address, By] : Callers) {
    const CallerPlace Place = placeOf(Address, Names);
    MeasuredSite Site;
    Site.Function = Make.text(Place.Site);
    Site.File = Make.text(Place.File);
    Site.Line = Place.Line;
    Site.Column = Place.Column;
    Site.Kind = SiteKind::Entry;
    By.Site = Make.site(Site);
    if (!By.Allocations || By.Named)
      continue;
    const AccessedStruct *Found =
        largest(By.Begin, Structs, [&](const AccessedStruct &S) {
          return By.LeastAsked == By.MostAsked && S.SizeBytes == By.MostAsked
                     ? true
                     : S.Flexible && S.SizeBytes <= By.LeastAsked;
        });
    const Cache &From = Caches[By.Cache];
    By.Struct =
        Found
            ? Found->Row
            : Named((By.Several ? "kmalloc" : From.Name) + "@" + Place.Function,
                    By.Several ? 0 : From.ObjectBytes, TypeSource::CallSite);
  }
}

void RawLives::finish(const ProfileBuilder::Numbers &Numbers,
                      TraceTables &Tables) {
  auto Final = [&](uint32_t Row) {
    return Row == NoStruct ? NoStruct : Numbers.Structs[Row];
  };
  for (const Cache &Of : Caches)
    Tables.Allocators.push_back({Of.Name, Final(Of.Struct), Of.ObjectBytes});
  Tables.Sources.assign(Tables.About.Structs.size(), TypeSource::Compiler);
  for (const auto &[Row, Source] : Sources)
    Tables.Sources[Numbers.Structs[Row]] = Source;
  Tables.Allocates.assign(Tables.About.Sites.size(), NoStruct);
  std::map<uint32_t, std::set<uint32_t>> Makes; ///< structs by site
  for (auto &[Address, By] : Callers) {
    By.Site = Numbers.Sites[By.Site];
    if (By.Allocations)
      Makes[By.Site].insert(Final(By.Struct));
  }
  for (const auto &[Site, Structs] : Makes)
    if (Structs.size() == 1)
      Tables.Allocates[Site] = *Structs.begin();
}

TraceEvent RawLives::event(const RawTraceEvent &E, const RawLife &Of) const {
  TraceEvent Out;
  Out.Time = E.Time;
  Out.Address = E.Address;
  Out.Info = rowOf(Of.Cache);
  auto By = Callers.find(Of.Caller);
  Out.Site = By == Callers.end() ? NoTraceSite : By->second.Site;
  Out.Kind = EventKind::Free;
  if (E.Site == KST_LIFE_FREE)
    return Out;
  Out.Kind = EventKind::Alloc;
  Out.SizeBytes =
      Out.Info == NoAllocator ? Of.Asked : Caches[Out.Info].SlotBytes;
  Out.Value = Of.Asked;
  return Out;
}

} // namespace kst
