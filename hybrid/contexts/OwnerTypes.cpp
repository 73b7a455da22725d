// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/OwnerTypes.h"

#include "hybrid/vocabulary/Vocabulary.h"

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
  const auto Skipped = Options.skipped();
  const auto Paths = Graph.paths(Anchors, Options.MostPointers, Skipped);
  // From an anchor on, the ways to those before it.
  std::vector<std::vector<AnchorPath>> Before(Anchors.size());
  for (size_t A = 1; A < Anchors.size(); ++A)
    Before[A] = Graph.paths({Anchors.begin(), Anchors.begin() + long(A)},
                            Options.MostPointers, Skipped);
  auto WaysOf = [&](const std::vector<AnchorPath> &To, uint32_t Row) {
    return Graph.ways(To, Row, Options.MostPointers, Skipped);
  };
  for (OwnerType &Of : Types) {
    Of.Holder = isA(NameKind::ContextHolder, Of.Name);
    const uint32_t Row = Graph.find(Of.Name);
    if (Row == NoType ||
        std::find(Misfits.begin(), Misfits.end(), Of.Name) != Misfits.end())
      continue;
    const AnchorPath &Path = Paths[Row];
    if (Path.Anchor != NoType && !Path.Pointers) {
      Of.IsAnchor = true;
      Of.Anchor =
          uint32_t(std::find(Anchors.begin(), Anchors.end(), Path.Anchor) -
                   Anchors.begin());
      // Which context an anchor is part of its own pointers say, not those of
      // what it lies in (unix_sock.path); the shortest way of them.
      if (Of.Anchor && Before[Of.Anchor][Row].Pointers)
        addWays(Of, WaysOf(Before[Of.Anchor], Path.Anchor), Before[Of.Anchor],
                1, Path.AnchorOffset);
      continue;
    }
    addWays(Of, WaysOf(Paths, Row), Paths, OwnerType::MostWays);
    Of.Inward = Of.NextOffsets.size();
    addWays(Of, Graph.inward(Anchors, Row, Path.Anchor == NoType, Skipped), {},
            OwnerType::MostWays);
  }
}

void OwnerTypes::addWays(OwnerType &To, std::vector<PathStep> Steps,
                         const std::vector<AnchorPath> &Paths, size_t Most,
                         uint64_t Base) {
  for (PathStep &Step : Steps) {
    if (To.NextOffsets.size() == Most)
      return;
    To.NextOffsets.push_back(uint32_t(Base + Step.OffsetBytes));
    To.NextPointers.push_back(Paths.empty() ? 1 : Paths[Step.To].Pointers + 1);
    std::vector<PathStep> Way{std::move(Step)};
    if (!Paths.empty())
      for (PathStep &More : stepsOf(Paths, Way.front().To))
        Way.push_back(std::move(More));
    To.Path += (To.Path.empty() ? "" : " | ") + inWords(Way);
  }
}

std::vector<std::string> OwnerOptions::defaultAnchors() {
  const auto Names = namesOf(NameKind::ContextAnchor);
  return {Names.begin(), Names.end()};
}

std::vector<std::string> OwnerOptions::skipped() const {
  std::vector<std::string> Out = Skipped;
  const auto Foreign = namesOf(NameKind::ForeignPointer);
  Out.insert(Out.end(), Foreign.begin(), Foreign.end());
  return Out;
}

} // namespace kst
