// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ProfileView.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kst {
namespace {

void addTo(uint64_t &Sum, uint64_t Count) {
  if (__builtin_add_overflow(Sum, Count, &Sum))
    Sum = ~uint64_t(0);
}

auto placeOf(const MeasuredField &F) {
  return std::tie(F.OffsetBytes, F.SizeBytes, F.FirstBit, F.Bits, F.Field);
}

std::vector<NamedCount> mostFirst(const std::map<TextId, uint64_t> &Counts) {
  std::vector<NamedCount> Out;
  for (auto [Name, Count] : Counts)
    if (Count)
      Out.push_back({Name, Count});
  std::ranges::stable_sort(Out, [](const NamedCount &A, const NamedCount &B) {
    return A.Count > B.Count;
  });
  return Out;
}

struct FieldSum {
  MeasuredField Field;
  std::map<TextId, uint64_t> Functions;
};

struct StructSum {
  MeasuredStructView View;
  using Place = std::tuple<uint32_t, uint32_t, uint16_t, uint16_t, TextId>;
  std::map<Place, FieldSum> Fields;

  FieldSum &at(const MeasuredField &Of) {
    FieldSum &Found = Fields[placeOf(Of)];
    if (!Found.Field.Sites && !Found.Field.AddressReads &&
        !Found.Field.AddressWrites) {
      std::tie(Found.Field.OffsetBytes, Found.Field.SizeBytes,
               Found.Field.FirstBit, Found.Field.Bits, Found.Field.Field) =
          placeOf(Of);
    }
    return Found;
  }
};

void addSite(const MeasuredSite &S, StructSum &To, FunctionView &In) {
  if (S.Marks & MarkBitFieldRead)
    return;
  MeasuredField Place;
  Place.OffsetBytes = S.OffsetBytes;
  Place.SizeBytes = S.SizeBytes;
  Place.FirstBit = S.FirstBit;
  Place.Bits = S.Bits;
  Place.Field = S.Field;
  FieldSum &Field = To.at(Place);
  ++Field.Field.Sites;
  Field.Field.SitesRun += S.Count > 0;
  AccessSums One;
  One.add(S);
  Field.Field.Sums.add(One);
  To.View.Sums.add(One);
  addTo(Field.Functions[S.Function], One.total());
  addTo(In.Accesses, One.total());
}

/// Counts by address belong to a byte, not to an access of known size.
void addAddress(const AddressCount &A, StructSum &To) {
  MeasuredField Place;
  Place.OffsetBytes = A.OffsetBytes;
  FieldSum &Field = To.at(Place);
  addTo(Field.Field.AddressReads, A.Reads);
  addTo(Field.Field.AddressWrites, A.Writes);
  addTo(To.View.AddressReads, A.Reads);
  addTo(To.View.AddressWrites, A.Writes);
}

} // namespace

uint64_t AccessSums::total() const {
  uint64_t Sum = 0;
  for (uint64_t Part : {Reads, Writes, BulkReads, BulkWrites})
    addTo(Sum, Part);
  return Sum;
}

void AccessSums::add(const MeasuredSite &Site) {
  if (Site.Marks & MarkBitFieldRead)
    return;
  switch (Site.Kind) {
  case SiteKind::Read:
    return addTo(Reads, Site.Count);
  case SiteKind::Write:
    return addTo(Writes, Site.Count);
  case SiteKind::ReadWrite:
    addTo(Reads, Site.Count);
    return addTo(Writes, Site.Count);
  case SiteKind::BulkRead:
    return addTo(BulkReads, Site.Count);
  case SiteKind::BulkWrite:
    return addTo(BulkWrites, Site.Count);
  case SiteKind::Address:
    return addTo(Addresses, Site.Count);
  case SiteKind::Entry:
  case SiteKind::ByAddressRead:
  case SiteKind::ByAddressWrite:
  case SiteKind::ByAddressBoth:
  case SiteKind::Line:
    return;
  }
}

void AccessSums::add(const AccessSums &Other) {
  addTo(Reads, Other.Reads);
  addTo(Writes, Other.Writes);
  addTo(BulkReads, Other.BulkReads);
  addTo(BulkWrites, Other.BulkWrites);
  addTo(Addresses, Other.Addresses);
}

ProfileView viewOf(const Profile &P, const std::string &Struct) {
  ProfileView View;
  std::vector<StructSum> Structs(P.Structs.size());
  std::map<TextId, FunctionView> Functions;
  auto Shown = [&](uint32_t Index) {
    return Struct.empty() || P.text(P.Structs[Index].Name) == Struct;
  };
  for (const MeasuredSite &S : P.Sites) {
    ++View.Sites;
    View.SitesRun += S.Count > 0;
    if (S.Kind >= SiteKind::ByAddressRead && S.Kind != SiteKind::Line)
      addTo(View.ByAddressSites, S.Count);
    if (S.Struct != NoStruct && !Shown(S.Struct))
      continue;
    if (S.Struct == NoStruct && !Struct.empty() && S.Kind != SiteKind::Entry)
      continue;
    FunctionView &In = Functions[S.Function];
    if (S.Kind == SiteKind::Entry) {
      addTo(In.Entries, S.Count);
      continue;
    }
    ++In.Sites;
    In.SitesRun += S.Count > 0;
    if (S.Struct != NoStruct)
      addSite(S, Structs[S.Struct], In);
  }
  for (const AddressCount &A : P.ByAddress)
    if (Shown(A.Struct))
      addAddress(A, Structs[A.Struct]);
  for (const FunctionSamples &S : P.Samples) {
    addTo(Functions[S.Function].Samples, S.Count);
    addTo(View.Samples, S.Count);
  }
  for (const MeasuredRegion &R : P.Regions) {
    ++View.Regions;
    View.RegionsRun += R.Count > 0;
  }
  for (uint32_t I = 0; I < Structs.size(); ++I) {
    if (!Shown(I))
      continue;
    MeasuredStructView &Out = Structs[I].View;
    Out.Struct = I;
    for (auto &[Place, Field] : Structs[I].Fields) {
      Field.Field.Functions = mostFirst(Field.Functions);
      Out.Fields.push_back(std::move(Field.Field));
    }
    View.Structs.push_back(std::move(Out));
  }
  for (auto &[Name, F] : Functions) {
    F.Function = Name;
    if (F.Sites || F.Samples || (Struct.empty() && F.Entries))
      View.Functions.push_back(F);
  }
  std::ranges::stable_sort(View.Functions, [](const FunctionView &A,
                                              const FunctionView &B) {
    return std::tie(A.Accesses, A.Samples) > std::tie(B.Accesses, B.Samples);
  });
  return View;
}

} // namespace kst
