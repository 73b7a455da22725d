// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/OwnerTypes.h"

#include <algorithm>

namespace kst {
namespace {

std::string inWords(const std::vector<PathStep> &Steps) {
  std::string Out;
  for (const PathStep &Step : Steps)
    Out += (Out.empty() ? "" : " -> ") + Step.Member;
  return Out;
}

} // namespace

uint32_t OwnerTypes::add(const std::string &Name) {
  auto [At, New] = ByName.try_emplace(Name, uint32_t(Types.size()));
  if (New)
    Types.emplace_back().Name = Name;
  return At->second;
}

OwnerTypes::OwnerTypes(const TraceTables &Tables, const TypeGraph &Graph,
                       const OwnerOptions &Options) {
  for (const MeasuredStruct &Of : Tables.About.Structs) {
    const std::string &Name = Tables.About.text(Of.Name);
    Structs.push_back(add(Name));
    const uint32_t Row = Graph.find(Name);
    if (Row != NoType && Graph.Types[Row].SizeBytes && Of.SizeBytes &&
        Graph.Types[Row].SizeBytes != Of.SizeBytes)
      Misfits.push_back(Name);
  }
  for (const TraceAllocator &Of : Tables.Allocators)
    Allocators.push_back(Of.Struct < Structs.size() ? Structs[Of.Struct]
                                                    : add(Of.Name));
  PageType = add("page");
  Types[PageType].Slab = false;

  std::vector<uint32_t> Anchors;
  for (const std::string &Name : Options.Anchors)
    if (uint32_t Row = Graph.find(Name); Row != NoType)
      Anchors.push_back(Row);
  const auto Paths =
      Graph.paths(Anchors, Options.MostPointers, Options.Skipped);
  // From an anchor on, the ways to those before it.
  std::vector<std::vector<AnchorPath>> Before(Anchors.size());
  for (size_t A = 1; A < Anchors.size(); ++A)
    Before[A] = Graph.paths({Anchors.begin(), Anchors.begin() + long(A)},
                            Options.MostPointers, Options.Skipped);
  for (OwnerType &Of : Types) {
    Of.Holder = std::find(Options.Holders.begin(), Options.Holders.end(),
                          Of.Name) != Options.Holders.end();
    const uint32_t Row = Graph.find(Of.Name);
    if (Row == NoType ||
        std::find(Misfits.begin(), Misfits.end(), Of.Name) != Misfits.end())
      continue;
    const AnchorPath *Path = &Paths[Row];
    if (Path->Anchor == NoType)
      continue;
    const auto *From = &Paths;
    if (!Path->Pointers) {
      Of.IsAnchor = true;
      Of.Anchor =
          uint32_t(std::find(Anchors.begin(), Anchors.end(), Path->Anchor) -
                   Anchors.begin());
      if (!Of.Anchor || Before[Of.Anchor][Row].Anchor == NoType)
        continue;
      From = &Before[Of.Anchor];
      Path = &(*From)[Row];
      if (!Path->Pointers)
        continue;
    }
    for (const PathStep &Step :
         Graph.ways(*From, Row, Options.MostPointers, Options.Skipped)) {
      // Of what may be one context with another only the shortest way counts.
      if (Of.NextOffsets.size() == (Of.IsAnchor ? 1 : OwnerType::MostWays))
        break;
      Of.NextOffsets.push_back(uint32_t(Step.OffsetBytes));
      Of.NextPointers.push_back((*From)[Step.To].Pointers + 1);
      std::vector<PathStep> Way{Step};
      for (PathStep &More : stepsOf(*From, Step.To))
        Way.push_back(std::move(More));
      Of.Path += (Of.Path.empty() ? "" : " | ") + inWords(Way);
    }
  }
}

} // namespace kst
