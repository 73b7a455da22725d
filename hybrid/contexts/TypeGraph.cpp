// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/TypeGraph.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace kst {

/// A record within a record is followed so far.
static constexpr unsigned MostHeld = 8;

uint32_t TypeGraph::type(const std::string &Name) {
  auto [At, New] = ByName.try_emplace(Name, uint32_t(Types.size()));
  if (New)
    Types.push_back({Name, 0, {}});
  return At->second;
}

uint32_t TypeGraph::find(const std::string &Name) const {
  auto At = ByName.find(Name);
  return At == ByName.end() ? NoType : At->second;
}

namespace {

/// All pointers and held types of a type, those of what it holds as its own.
class Flattened {
public:
  struct Member {
    PathStep Step;
    unsigned Depth;
    bool Held;
  };
  Flattened(const TypeGraph &Graph, uint32_t Type) : Graph(Graph) {
    add(Type, 0, "", 0);
  }
  std::vector<Member> Members;
  /// More than one: a union.
  size_t pointersAt(uint64_t OffsetBytes) const {
    return size_t(
        std::count_if(Members.begin(), Members.end(), [&](const Member &M) {
          return !M.Held && M.Step.OffsetBytes == OffsetBytes;
        }));
  }

private:
  void add(uint32_t Type, uint64_t Base, const std::string &Prefix,
           unsigned Depth) {
    const LinkedType &Of = Graph.Types[Type];
    for (uint32_t L = 0; L < Of.Links.size(); ++L) {
      const TypeLink &Link = Of.Links[L];
      const std::string Name = Prefix + Link.Member;
      Members.push_back({{Name, Base + Link.OffsetBytes, Link.To, Type, L},
                         Depth,
                         Link.Held});
      if (Link.Held && Depth < MostHeld)
        add(Link.To, Base + Link.OffsetBytes,
            Link.Member.empty() ? Prefix : Name + ".", Depth + 1);
    }
  }
  const TypeGraph &Graph;
};

bool skips(const std::vector<std::string> &Skipped, const std::string &Type,
           const std::string &Member) {
  return std::find(Skipped.begin(), Skipped.end(), Type) != Skipped.end() ||
         std::find(Skipped.begin(), Skipped.end(), Type + "." + Member) !=
             Skipped.end();
}

} // namespace

bool TypeGraph::canSkip(const std::string &Name) const {
  const size_t Dot = Name.find('.');
  const uint32_t Row = find(Name.substr(0, Dot));
  if (Row == NoType || Dot == std::string::npos)
    return Row != NoType;
  const auto Members = Flattened(*this, Row).Members;
  return std::any_of(Members.begin(), Members.end(), [&](const auto &M) {
    return !M.Held && M.Step.Member == Name.substr(Dot + 1);
  });
}

std::vector<AnchorPath>
TypeGraph::paths(const std::vector<uint32_t> &Anchors, uint32_t Most,
                 const std::vector<std::string> &Skipped) const {
  std::vector<AnchorPath> Out(Types.size());
  // What each pointer of each type leads to, held types opened.
  std::vector<std::vector<Flattened::Member>> Members;
  for (uint32_t T = 0; T < Types.size(); ++T)
    Members.push_back(std::move(Flattened(*this, T).Members));
  auto RankOf = [&](uint32_t Anchor) {
    return std::find(Anchors.begin(), Anchors.end(), Anchor) - Anchors.begin();
  };
  for (uint32_t T = 0; T < Types.size(); ++T) {
    std::tuple<std::ptrdiff_t, uint64_t> Best{std::ptrdiff_t(Anchors.size()),
                                              0};
    auto Take = [&](uint32_t Anchor, uint64_t Offset) {
      std::tuple<std::ptrdiff_t, uint64_t> Here{RankOf(Anchor), Offset};
      if (Here < Best) {
        Best = Here;
        Out[T].Anchor = Anchor;
        Out[T].AnchorOffset = Offset;
      }
    };
    Take(T, 0);
    for (const auto &M : Members[T])
      if (M.Held)
        Take(M.Step.To, M.Step.OffsetBytes);
  }
  for (uint32_t Pointers = 1; Pointers <= Most; ++Pointers) {
    std::vector<std::pair<uint32_t, AnchorPath>> Found;
    for (uint32_t T = 0; T < Types.size(); ++T) {
      if (Out[T].Anchor != NoType)
        continue;
      using Key = std::tuple<std::ptrdiff_t, unsigned, uint64_t>;
      Key Best{std::ptrdiff_t(Anchors.size()), 0, 0};
      AnchorPath Path;
      for (const auto &M : Members[T]) {
        const AnchorPath &Next = Out[M.Step.To];
        if (M.Held || Next.Anchor == NoType || Next.Pointers + 1 != Pointers ||
            skips(Skipped, Types[T].Name, M.Step.Member) ||
            skips(Skipped, Types[M.Step.From].Name,
                  Types[M.Step.From].Links[M.Step.Link].Member))
          continue;
        Key Here{RankOf(Next.Anchor), M.Depth, M.Step.OffsetBytes};
        if (Here < Best) {
          Best = Here;
          Path = {Next.Anchor, Pointers, 0, M.Step};
        }
      }
      if (Path.Anchor != NoType)
        Found.push_back({T, Path});
    }
    for (auto &[T, Path] : Found)
      Out[T] = Path;
  }
  return Out;
}

std::vector<PathStep>
TypeGraph::ways(const std::vector<AnchorPath> &Paths, uint32_t Type,
                uint32_t Most, const std::vector<std::string> &Skipped) const {
  using Key = std::tuple<uint32_t, unsigned, uint64_t>;
  std::vector<std::pair<Key, PathStep>> Found;
  const AnchorPath &Best = Paths[Type];
  if (Best.Anchor == NoType || !Best.Pointers)
    return {};
  const Flattened All(*this, Type);
  // A pointer to the anchor itself leaves nothing to say; what a union has
  // besides may be meant by its place.
  const uint32_t Longest =
      Best.Pointers == 1 && All.pointersAt(Best.Next.OffsetBytes) == 1
          ? 1
          : Best.Pointers + 1;
  for (const auto &M : All.Members) {
    const AnchorPath &Next = Paths[M.Step.To];
    const uint32_t Pointers = Next.Pointers + 1;
    if (M.Held || Next.Anchor == NoType || Pointers > Longest ||
        Pointers > Most || M.Step.To == Type ||
        skips(Skipped, Types[Type].Name, M.Step.Member) ||
        skips(Skipped, Types[M.Step.From].Name,
              Types[M.Step.From].Links[M.Step.Link].Member))
      continue;
    Found.push_back({{Pointers, M.Depth, M.Step.OffsetBytes}, M.Step});
  }
  std::stable_sort(Found.begin(), Found.end(),
                   [](auto &A, auto &B) { return A.first < B.first; });
  std::vector<PathStep> Out;
  for (auto &[Rank, Step] : Found)
    Out.push_back(std::move(Step));
  return Out;
}

std::vector<PathStep>
TypeGraph::inward(const std::vector<uint32_t> &Anchors, uint32_t Type,
                  bool ToHeld, const std::vector<std::string> &Skipped) const {
  std::vector<bool> InAnchor(Types.size());
  for (uint32_t Anchor : Anchors)
    for (const auto &M : Flattened(*this, Anchor).Members)
      if (M.Held)
        InAnchor[M.Step.To] = true;
  std::map<uint64_t, PathStep> Lists; ///< by where the struct with it begins
  std::vector<PathStep> Out;
  for (const auto &M : Flattened(*this, Type).Members) {
    const TypeLink &Link = Types[M.Step.From].Links[M.Step.Link];
    if (M.Held || skips(Skipped, Types[Type].Name, M.Step.Member) ||
        skips(Skipped, Types[M.Step.From].Name, Link.Member))
      continue;
    if (M.Step.From != M.Step.To) {
      if (ToHeld && InAnchor[M.Step.To])
        Out.push_back(M.Step);
    } else if (!InAnchor[M.Step.To]) { // list_head is everywhere
      auto [At, New] =
          Lists.try_emplace(M.Step.OffsetBytes - Link.OffsetBytes, M.Step);
      if (!New && M.Step.OffsetBytes < At->second.OffsetBytes)
        At->second = M.Step;
    }
  }
  for (auto &[Where, Step] : Lists)
    Out.push_back(std::move(Step));
  return Out;
}

std::vector<PathStep> stepsOf(const std::vector<AnchorPath> &Paths,
                              uint32_t Type) {
  std::vector<PathStep> Out;
  while (Paths[Type].Anchor != NoType && Paths[Type].Pointers) {
    Out.push_back(Paths[Type].Next);
    Type = Paths[Type].Next.To;
  }
  return Out;
}

} // namespace kst
