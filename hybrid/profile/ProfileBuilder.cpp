// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ProfileBuilder.h"

#include "hybrid/core/Hash.h"
#include "hybrid/profile/ProfileOrder.h"

#include <cstddef>
#include <numeric>

namespace kst {
namespace {

/// Every byte before Count takes part in what a site is about.
constexpr size_t SiteKeyBytes = offsetof(MeasuredSite, Count);
static_assert(SiteKeyBytes == 40 && sizeof(MeasuredSite) == 48);

std::string cleaned(std::string_view Bytes) {
  std::string Out(Bytes);
  for (char &C : Out)
    if (static_cast<unsigned char>(C) < 0x20 || C == 0x7f)
      C = '?';
  return Out;
}

/// [old place]: new place, for rows sorted by Less.
template <typename Less>
std::vector<uint32_t> sortedOrder(size_t Rows, Less IsLess) {
  std::vector<uint32_t> Order(Rows);
  std::iota(Order.begin(), Order.end(), 0);
  std::ranges::sort(Order, IsLess);
  return Order;
}

/// Adjacent equal sites of a sorted list as one. Times that do not fit stay at
/// the most there is.
void joinReferences(std::vector<SiteReference> &Refs) {
  std::ranges::sort(Refs);
  size_t Kept = 0;
  for (const SiteReference &Ref : Refs) {
    if (!Ref.Times)
      continue;
    if (Kept && Refs[Kept - 1].Site == Ref.Site) {
      uint64_t Sum = uint64_t(Refs[Kept - 1].Times) + Ref.Times;
      Refs[Kept - 1].Times =
          static_cast<uint32_t>(std::min<uint64_t>(Sum, ~0u));
    } else {
      Refs[Kept++] = Ref;
    }
  }
  Refs.resize(Kept);
}

} // namespace

ProfileBuilder::ProfileBuilder() {
  Made.Strings.clear();
  text("");
}

size_t ProfileBuilder::SiteHash::operator()(const MeasuredSite &Site) const {
  return hash64({reinterpret_cast<const char *>(&Site), SiteKeyBytes});
}
bool ProfileBuilder::SiteEqual::operator()(const MeasuredSite &A,
                                           const MeasuredSite &B) const {
  return keyOf(A) == keyOf(B);
}

TextId ProfileBuilder::text(std::string_view Bytes) {
  auto [At, New] = Texts.try_emplace(cleaned(Bytes),
                                     static_cast<TextId>(Made.Strings.size()));
  if (New)
    Made.Strings.push_back(At->first);
  return At->second;
}

uint32_t ProfileBuilder::structure(std::string_view Name, uint32_t SizeBytes,
                                   std::span<const MeasuredElement> Elements) {
  MeasuredStruct S;
  S.Name = text(Name);
  S.SizeBytes = SizeBytes;
  S.Begin = static_cast<uint32_t>(Made.Elements.size());
  for (const MeasuredElement &E : Elements)
    if (uint64_t(E.OffsetBytes) + E.SizeBytes <= SizeBytes)
      Made.Elements.push_back(E);
  S.End = static_cast<uint32_t>(Made.Elements.size());
  auto Members = Made.elements(S);
  auto [At, New] = StructIds.try_emplace(
      {S.Name, SizeBytes, {Members.begin(), Members.end()}},
      static_cast<uint32_t>(Made.Structs.size()));
  if (New)
    Made.Structs.push_back(S);
  else
    Made.Elements.resize(S.Begin);
  return At->second;
}

uint32_t ProfileBuilder::site(const MeasuredSite &Site) {
  auto [At, New] =
      SiteIds.try_emplace(Site, static_cast<uint32_t>(Made.Sites.size()));
  if (New)
    Made.Sites.push_back(Site);
  else if (!addCount(Made.Sites[At->second].Count, Site.Count))
    Overflow = true;
  return At->second;
}

void ProfileBuilder::region(TextId Function, TextId File,
                            std::span<const SiteReference> Sites,
                            uint64_t Count) {
  MeasuredRegion R;
  R.Function = Function;
  R.File = File;
  R.Begin = static_cast<uint32_t>(Made.References.size());
  Made.References.insert(Made.References.end(), Sites.begin(), Sites.end());
  R.End = static_cast<uint32_t>(Made.References.size());
  R.Count = Count;
  Made.Regions.push_back(R);
}

void ProfileBuilder::byAddress(uint32_t Struct, uint32_t OffsetBytes,
                               uint64_t Reads, uint64_t Writes) {
  if (OffsetBytes < Made.Structs[Struct].SizeBytes)
    Made.ByAddress.push_back({Struct, OffsetBytes, Reads, Writes});
}

void ProfileBuilder::threads(uint32_t Struct, uint64_t ByOwner,
                             uint64_t ByOthers) {
  Made.Threads.push_back({Struct, 0, ByOwner, ByOthers});
}

void ProfileBuilder::member(uint32_t Struct, uint64_t OffsetBits,
                            uint64_t SizeBits, std::string_view Name) {
  const uint64_t Bits = Made.Structs[Struct].SizeBytes * 8ull;
  if (!Name.empty() && OffsetBits <= Bits)
    Made.Members.push_back({Struct, text(Name), OffsetBits,
                            std::min(SizeBits, Bits - OffsetBits)});
}

void ProfileBuilder::samples(TextId Function, uint64_t Count) {
  Made.Samples.push_back({Function, 0, Count});
}

void ProfileBuilder::notCounted(TextId Function, TextId File) {
  Made.NotCounted.push_back({Function, File});
}

std::vector<uint32_t> ProfileBuilder::sortTexts() {
  std::vector<std::string> &S = Made.Strings;
  auto Order = sortedOrder(S.size(),
                           [&](uint32_t A, uint32_t B) { return S[A] < S[B]; });
  std::vector<std::string> Sorted(S.size());
  std::vector<uint32_t> New(S.size());
  for (uint32_t I = 0; I < Order.size(); ++I) {
    Sorted[I] = std::move(S[Order[I]]);
    New[Order[I]] = I;
  }
  S = std::move(Sorted);
  return New;
}

std::vector<uint32_t>
ProfileBuilder::sortStructs(const std::vector<uint32_t> &NewText) {
  std::vector<MeasuredStruct> Old = std::move(Made.Structs);
  Profile Rows; // to look elements up in
  Rows.Elements = std::move(Made.Elements);
  for (MeasuredStruct &S : Old)
    S.Name = NewText[S.Name];
  auto Order = sortedOrder(Old.size(), [&](uint32_t A, uint32_t B) {
    return orderOf(Old[A], Rows.elements(Old[A]), Old[B],
                   Rows.elements(Old[B])) < 0;
  });
  Made.Structs.clear();
  Made.Elements.clear();
  std::vector<uint32_t> New(Old.size());
  for (uint32_t I : Order) {
    MeasuredStruct S = Old[I];
    auto Elements = Rows.elements(S);
    S.Begin = static_cast<uint32_t>(Made.Elements.size());
    Made.Elements.insert(Made.Elements.end(), Elements.begin(), Elements.end());
    S.End = static_cast<uint32_t>(Made.Elements.size());
    New[I] = static_cast<uint32_t>(Made.Structs.size());
    Made.Structs.push_back(S);
  }
  return New;
}

std::vector<uint32_t>
ProfileBuilder::sortSites(const std::vector<uint32_t> &NewText,
                          const std::vector<uint32_t> &NewStruct) {
  std::vector<MeasuredSite> Old = std::move(Made.Sites);
  for (MeasuredSite &S : Old) {
    S.Function = NewText[S.Function];
    S.File = NewText[S.File];
    S.Field = NewText[S.Field];
    if (S.Struct != NoStruct)
      S.Struct = NewStruct[S.Struct];
  }
  auto Order = sortedOrder(Old.size(), [&](uint32_t A, uint32_t B) {
    return keyOf(Old[A]) < keyOf(Old[B]);
  });
  Made.Sites.clear();
  std::vector<uint32_t> New(Old.size());
  for (uint32_t I : Order) {
    New[I] = static_cast<uint32_t>(Made.Sites.size());
    Made.Sites.push_back(Old[I]);
  }
  return New;
}

void ProfileBuilder::sortRegions(const std::vector<uint32_t> &NewText,
                                 const std::vector<uint32_t> &NewSite) {
  std::vector<MeasuredRegion> Old = std::move(Made.Regions);
  std::vector<SiteReference> OldRefs = std::move(Made.References);
  Profile Rows;
  std::vector<SiteReference> Refs;
  for (MeasuredRegion &R : Old) {
    R.Function = NewText[R.Function];
    R.File = NewText[R.File];
    Refs.assign(OldRefs.begin() + R.Begin, OldRefs.begin() + R.End);
    for (SiteReference &Ref : Refs)
      Ref.Site = NewSite[Ref.Site];
    joinReferences(Refs);
    R.Begin = static_cast<uint32_t>(Rows.References.size());
    Rows.References.insert(Rows.References.end(), Refs.begin(), Refs.end());
    R.End = static_cast<uint32_t>(Rows.References.size());
  }
  auto Compare = [&](uint32_t A, uint32_t B) {
    return orderOf(Old[A], Rows.references(Old[A]), Old[B],
                   Rows.references(Old[B]));
  };
  auto Order = sortedOrder(
      Old.size(), [&](uint32_t A, uint32_t B) { return Compare(A, B) < 0; });
  Made.Regions.clear();
  Made.References.clear();
  for (size_t I = 0; I < Order.size(); ++I) {
    MeasuredRegion R = Old[Order[I]];
    if (I && Compare(Order[I - 1], Order[I]) == 0) {
      if (!addCount(Made.Regions.back().Count, R.Count))
        Overflow = true;
      continue;
    }
    auto Of = Rows.references(R);
    R.Begin = static_cast<uint32_t>(Made.References.size());
    Made.References.insert(Made.References.end(), Of.begin(), Of.end());
    R.End = static_cast<uint32_t>(Made.References.size());
    Made.Regions.push_back(R);
  }
}

template <typename T, typename Add>
void ProfileBuilder::joinEqual(std::vector<T> &Rows, Add AddTo) {
  std::ranges::sort(Rows,
                    [](const T &A, const T &B) { return keyOf(A) < keyOf(B); });
  size_t Kept = 0;
  for (const T &Row : Rows)
    if (Kept && keyOf(Rows[Kept - 1]) == keyOf(Row))
      Overflow |= !AddTo(Rows[Kept - 1], Row);
    else
      Rows[Kept++] = Row;
  Rows.resize(Kept);
}

Result<Profile> ProfileBuilder::finish(Numbers *Where) {
  std::vector<uint32_t> NewText = sortTexts();
  std::vector<uint32_t> NewStruct = sortStructs(NewText);
  std::vector<uint32_t> NewSite = sortSites(NewText, NewStruct);
  sortRegions(NewText, NewSite);
  for (AddressCount &A : Made.ByAddress)
    A.Struct = NewStruct[A.Struct];
  joinEqual(Made.ByAddress, [](AddressCount &To, const AddressCount &From) {
    return addCount(To.Reads, From.Reads) && addCount(To.Writes, From.Writes);
  });
  for (ThreadUse &U : Made.Threads)
    U.Struct = NewStruct[U.Struct];
  joinEqual(Made.Threads, addUse);
  for (NamedMember &M : Made.Members) {
    M.Struct = NewStruct[M.Struct];
    M.Name = NewText[M.Name];
  }
  joinEqual(Made.Members,
            [](NamedMember &, const NamedMember &) { return true; });
  for (FunctionSamples &S : Made.Samples)
    S.Function = NewText[S.Function];
  joinEqual(Made.Samples, [](FunctionSamples &To, const FunctionSamples &From) {
    return addCount(To.Count, From.Count);
  });
  for (SourceFunction &F : Made.NotCounted)
    F = {NewText[F.Function], NewText[F.File]};
  joinEqual(Made.NotCounted,
            [](SourceFunction &, const SourceFunction &) { return true; });
  for (const auto &[Key, Value] : Text)
    if (!Key.empty())
      Made.Text[cleaned(Key)] = cleaned(Value);
  Made.Runs = Runs;
  Made.DurationNs = DurationNs;
  Made.Lost = Lost;
  if (Where)
    *Where = {std::move(NewStruct), std::move(NewSite)};
  Profile Out = std::move(Made);
  bool Fits = !Overflow;
  *this = ProfileBuilder();
  if (!Fits)
    return Failure{"a count does not fit 64 bits"};
  return Out;
}

} // namespace kst
