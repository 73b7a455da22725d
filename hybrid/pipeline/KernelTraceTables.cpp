// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/KernelTraceTables.h"

#include "hybrid/pipeline/Errors.h"
#include "hybrid/profile/ProfileBuilder.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace kst {
namespace {

SiteKind kindOf(uint8_t Access) {
  return Access == AccessLoad    ? SiteKind::ByAddressRead
         : Access == AccessStore ? SiteKind::ByAddressWrite
                                 : SiteKind::ByAddressBoth;
}

/// SiteOf, FunctionOf: by site number; sites without events stay 0 and "".
void makeSites(const KernelTraceParts &Parts, ProfileBuilder &Make,
               std::vector<uint32_t> &SiteOf,
               std::vector<std::string> &FunctionOf) {
  SiteOf.assign(Parts.Sites.size(), 0);
  FunctionOf.resize(Parts.Sites.size());
  for (size_t I = 0; I < Parts.Sites.size(); ++I) {
    const KernelSiteUse &Use = Parts.Sites[I];
    if (!Use.used())
      continue;
    // Allocators are told where they return to: the call is before that.
    bool Call = !Use.Count;
    auto Places = Parts.PlacesOf(Use.Address - Call);
    const SourcePlace &Place = Call ? ownPlace(Places) : Places.front();
    FunctionOf[I] = ownPlace(Places).Function;
    MeasuredSite Site;
    Site.Function = Make.text(Place.Function);
    Site.File = Make.text(Place.File);
    Site.Line = Place.Line;
    Site.Column = Place.Column;
    Site.SizeBytes = Use.MostBytes;
    Site.Kind = Call ? SiteKind::Entry : kindOf(Use.Access);
    Site.Count = Use.Count;
    SiteOf[I] = Make.site(Site);
  }
}

} // namespace

const SourcePlace &ownPlace(const std::vector<SourcePlace> &Places) {
  for (const SourcePlace &P : Places)
    if (!llvm::StringRef(P.File).ends_with(".h"))
      return P;
  return Places.back();
}

llvm::Expected<TraceTables> kernelTraceTables(KernelTraceParts Parts) {
  ProfileBuilder Make;
  Make.Text = std::move(Parts.Text);
  Make.Lost = Parts.Lost;
  Make.DurationNs = Parts.DurationNs;
  std::vector<uint32_t> SiteOf;
  std::vector<std::string> FunctionOf;
  makeSites(Parts, Make, SiteOf, FunctionOf);
  TraceTables T;
  std::vector<TypeSource> Sources;
  auto Struct = [&](const KernelType &Of) {
    uint32_t Row = Make.structure(Of.Name, Of.SizeBytes, Of.Elements);
    Sources.resize(std::max<size_t>(Sources.size(), Row + 1));
    Sources[Row] = Of.Source;
    return Row;
  };
  const KernelTypes &Types = Parts.Types;
  std::vector<uint32_t> RowOf;
  for (const KernelType &Of : Types.Types)
    RowOf.push_back(Struct(Of));
  T.Objects = Types.Objects;
  for (TraceObject &O : T.Objects)
    O.Struct = RowOf[O.Struct];
  for (size_t I = 0; I < Parts.Caches.size(); ++I) {
    uint32_t Type = Types.OfCache[I];
    T.Allocators.push_back({Parts.Caches[I].Name,
                            Type == NoStruct ? NoStruct : RowOf[Type],
                            Parts.Caches[I].ObjectBytes});
  }
  // Several calls can be of one line. Where they make different structs, it is
  // only known who they are.
  std::map<uint32_t, uint32_t> Makes; ///< structs by site
  for (size_t I = 0; I < Parts.Allocations.size(); ++I) {
    const AllocationSite &Of = Parts.Allocations[I];
    if (hasStruct(Types, Of.Cache))
      continue;
    const uint32_t Type = Types.OfAllocation[I],
                   Row = Type == NoStruct ? NoStruct : RowOf[Type];
    auto [At, New] = Makes.try_emplace(SiteOf[Of.Site], Row);
    if (!New && At->second != Row)
      At->second = NoStruct;
  }
  std::map<uint32_t, uint32_t> Named = Makes;
  for (size_t I = 0; I < Parts.Sites.size(); ++I)
    if (const KernelSiteUse &Use = Parts.Sites[I];
        Use.Allocates && Use.Allocator < Parts.Caches.size() &&
        Types.OfCache[Use.Allocator] == NoStruct)
      if (auto Made = Makes.find(SiteOf[I]);
          Made == Makes.end() || Made->second == NoStruct)
        Named[SiteOf[I]] = Struct(typeOfCaller(Parts.Caches[Use.Allocator],
                                               FunctionOf[I], Use.Several));
  ProfileBuilder::Numbers Numbers;
  auto About = orFailure(Make.finish(&Numbers));
  if (!About)
    return About.takeError();
  T.About = std::move(*About);
  T.Sources.assign(T.About.Structs.size(), TypeSource::Compiler);
  for (size_t I = 0; I < Sources.size(); ++I)
    T.Sources[Numbers.Structs[I]] = Sources[I];
  for (TraceObject &O : T.Objects)
    O.Struct = Numbers.Structs[O.Struct];
  for (TraceAllocator &A : T.Allocators)
    if (A.Struct != NoStruct)
      A.Struct = Numbers.Structs[A.Struct];
  T.Allocates.assign(T.About.Sites.size(), NoStruct);
  if (!T.About.Sites.empty())
    for (uint32_t &Site : SiteOf)
      Site = Numbers.Sites[Site];
  for (const auto &[Site, Row] : Named)
    if (Row != NoStruct)
      T.Allocates[Numbers.Sites[Site]] = Numbers.Structs[Row];
  // A recorder may look at code that does not run, not always the same.
  while (!SiteOf.empty() && !Parts.Sites[SiteOf.size() - 1].used())
    SiteOf.pop_back();
  T.SiteOf = std::move(SiteOf);
  if (T.About.Sites.empty())
    T.SiteOf.clear();
  return T;
}

} // namespace kst
