// SPDX-License-Identifier: GPL-2.0-or-later
//
// One stream of accesses through several models at once: layouts of a struct,
// geometries of a machine.

#pragma once

#include "hybrid/cache/CacheModel.h"

#include <span>

namespace kst {

/// Each model counts what it would count alone. What makes all of them cheaper
/// than one after the other: most accesses are to the line that was used last
/// in its set, and if that is so in all models, all of them hit and none
/// changes.
class CacheReplay {
public:
  static constexpr size_t MaxModels = 64;

  /// One model for each geometry, all with these options. Up to MaxModels.
  CacheReplay(const std::vector<CacheGeometry> &Geometries,
              const CacheOptions &Options);

  size_t models() const { return Models.size(); }

  /// An access to the same address in every model. Returns its outcomes by
  /// model; good until the next access.
  std::span<const AccessOutcome> access(const MemoryReference &R) {
    const uint64_t Line = R.Address >> LineShift;
    const Latest &Last = LatestOf[setOf(Line)];
    if (Last.Line != Line || Last.Cpu != R.Cpu || !Last.allows(R.Kind) ||
        lastLine(R) != Line)
      return accessAll(R);
    ++Repeats[R.Cpu][size_t(R.Kind)];
    return Last.Strayed ? accessStrayed(R) : Hits;
  }

  /// An access to Addresses[I] in model I; R.Address does not matter.
  std::span<const AccessOutcome> access(const MemoryReference &R,
                                        std::span<const uint64_t> Addresses);

  CacheCounts counts(size_t Model, unsigned Cpu, AccessKind Kind) const;
  /// Over all CPUs and kinds.
  CacheCounts total(size_t Model) const;
  /// Accesses that the model itself was asked for; the others were shared.
  uint64_t asked(size_t Model) const {
    return Models[Model].total().accesses();
  }

private:
  /// The last access to any line of one set that was the same in all models.
  struct Latest {
    uint64_t Line = NoLine;
    uint16_t Cpu = 0;
    bool Loads = false, Stores = false; ///< nothing new if done once more
    /// Models (bit N: model N) that did something else in the set since.
    uint64_t Strayed = 0;

    bool allows(AccessKind Kind) const {
      return Kind == AccessKind::Load ? Loads : Stores;
    }
  };
  std::span<const AccessOutcome> accessAll(const MemoryReference &R);
  Latest &latestOf(uint64_t Line) { return LatestOf[setOf(Line)]; }
  uint64_t lastLine(const MemoryReference &R) const {
    return (R.Address + R.Bytes - (R.Bytes != 0)) >> LineShift;
  }
  std::span<const AccessOutcome> accessStrayed(const MemoryReference &R);
  size_t setOf(uint64_t Line) const {
    return SetMask + 1 == LatestOf.size() ? Line & SetMask
                                          : Line % LatestOf.size();
  }

  const CacheOptions Options;
  std::vector<CacheModel> Models;
  std::vector<AccessOutcome> Outcomes, Hits; ///< by model
  unsigned LineShift;                        ///< if SameLines
  bool SameLines = true;                     ///< else nothing is shared
  /// As many sets as divide those of the nearest level of each model: lines
  /// that meet in a set there meet here.
  std::vector<Latest> LatestOf;
  size_t SetMask;
  using KindCounts = std::array<uint64_t, AccessKinds>;
  /// By CPU: hits that no model was asked for; by Model * Options.Cpus + Cpu:
  /// those of them that a model was asked for, because it had strayed.
  std::vector<KindCounts> Repeats, Asked;
};

} // namespace kst
