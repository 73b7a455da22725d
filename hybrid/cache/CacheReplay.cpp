// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/cache/CacheReplay.h"

#include <cassert>
#include <numeric>

namespace kst {
namespace {

const CacheShape &nearest(const CacheGeometry &Geometry) {
  return *std::find_if(Geometry.Shapes.begin(), Geometry.Shapes.end(),
                       [](const CacheShape &Shape) { return Shape.exists(); });
}

} // namespace

CacheReplay::CacheReplay(const std::vector<CacheGeometry> &Geometries,
                         const CacheOptions &Options)
    : Options(Options), Outcomes(Geometries.size()), Repeats(Options.Cpus),
      Asked(Options.Cpus * Geometries.size()) {
  assert(!Geometries.empty() && Geometries.size() <= MaxModels);
  Models.reserve(Geometries.size());
  uint64_t Sets = 0;
  const uint32_t Line = Geometries[0].LineBytes;
  for (const CacheGeometry &Geometry : Geometries) {
    Models.emplace_back(Geometry, Options);
    Hits.push_back({Models.back().Nearest});
    Sets = std::gcd(Sets, nearest(Geometry).Sets);
    SameLines &= Geometry.LineBytes == Line;
  }
  LineShift = unsigned(std::countr_zero(Line));
  // A fully associative cache knows one order of all lines.
  if (Options.Classes != ClassRule::Off)
    Sets = 1;
  LatestOf.resize(Sets);
  SetMask = std::has_single_bit(Sets) ? Sets - 1 : 0;
}

std::span<const AccessOutcome>
CacheReplay::accessAll(const MemoryReference &R) {
  const uint64_t First = R.Address >> LineShift;
  const uint64_t Last = std::max(First, lastLine(R));
  const bool OneLine = SameLines && First == Last;
  for (size_t I = 0; I < Models.size(); ++I)
    Outcomes[I] =
        OneLine ? Models[I].accessOneLine(R, First) : Models[I].access(R);
  if (!SameLines)
    return Outcomes;
  for (uint64_t Line = First; Line <= Last; ++Line)
    latestOf(Line) = {};
  // With classes, bytes stored count, and under ClassRule::Lifetime bytes
  // loaded.
  if (First == Last)
    latestOf(First) = {First, R.Cpu, Options.Classes != ClassRule::Lifetime,
                       Options.Classes == ClassRule::Off &&
                           R.Kind != AccessKind::Load};
  return Outcomes;
}

std::span<const AccessOutcome>
CacheReplay::accessStrayed(const MemoryReference &R) {
  Latest &Last = latestOf(R.Address >> LineShift);
  Outcomes = Hits;
  for (uint64_t Left = Last.Strayed; Left; Left &= Left - 1) {
    const size_t I = size_t(std::countr_zero(Left));
    Outcomes[I] = Models[I].access(R);
    ++Asked[I * Options.Cpus + R.Cpu][size_t(R.Kind)];
  }
  // After a load, a store may still be news to them.
  if (R.Kind != AccessKind::Load || !Last.Stores)
    Last.Strayed = 0;
  return Outcomes;
}

std::span<const AccessOutcome>
CacheReplay::access(const MemoryReference &R,
                    std::span<const uint64_t> Addresses) {
  assert(Addresses.size() == Models.size());
  for (size_t I = 0; I < Models.size(); ++I) {
    const MemoryReference Moved{Addresses[I], R.Bytes, R.Cpu, R.Kind};
    Outcomes[I] = Models[I].access(Moved);
    const uint64_t First = Moved.Address >> LineShift;
    const uint64_t Last = std::max(First, lastLine(Moved));
    for (uint64_t Line = First; SameLines && Line <= Last; ++Line)
      latestOf(Line).Strayed |= uint64_t(1) << I;
  }
  return Outcomes;
}

CacheCounts CacheReplay::counts(size_t Model, unsigned Cpu,
                                AccessKind Kind) const {
  CacheCounts Counts = Models[Model].counts(Cpu, Kind);
  Counts.Served[size_t(Models[Model].Nearest)] +=
      Repeats[Cpu][size_t(Kind)] -
      Asked[Model * Options.Cpus + Cpu][size_t(Kind)];
  return Counts;
}

CacheCounts CacheReplay::total(size_t Model) const {
  CacheCounts Sum;
  for (unsigned Cpu = 0; Cpu < Options.Cpus; ++Cpu)
    for (AccessKind Kind :
         {AccessKind::Load, AccessKind::Store, AccessKind::Modify})
      Sum += counts(Model, Cpu, Kind);
  return Sum;
}

} // namespace kst
