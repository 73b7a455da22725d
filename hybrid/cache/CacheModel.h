// SPDX-License-Identifier: GPL-2.0-or-later
//
// The caches of a machine, without data: which accesses hit where, and why the
// others miss.

#pragma once

#include "hybrid/cache/MissClassifier.h"

#include <span>

namespace kst {

enum class AccessKind : uint8_t { Load, Store, Modify }; ///< Modify: both
inline constexpr unsigned AccessKinds = 3;

/// One access of a CPU to consecutive bytes.
struct MemoryReference {
  uint64_t Address;
  uint32_t Bytes; ///< 0 counts as 1
  uint16_t Cpu;   ///< below CacheOptions::Cpus
  AccessKind Kind;
};

/// What an access is that lies on more than one line.
enum class Crossing : uint8_t {
  PerLine,  ///< one access for each line, as hardware does it
  Together, ///< one access, which misses a level if any of its lines does, and
            ///< then asks the next level for all of them, as cachegrind does;
            ///< neither with coherence nor with classes
};

struct CacheOptions {
  unsigned Cpus = 1; ///< 1 to MaxCacheCpus
  /// Off: private caches do not see each other's stores. So instructions and
  /// data of one CPU are two CPUs that share what lies behind.
  bool Coherent = true;
  Crossing Lines = Crossing::PerLine;
  ClassRule Classes = ClassRule::Off;
};

/// Of one CPU and one kind of access, or sums of them.
struct CacheCounts {
  std::array<uint64_t, Servers> Served{}; ///< by ServedBy; adds up to accesses
  uint64_t Upgrades = 0; ///< stores to lines that the CPU only shared
  /// By CacheLevel and MissClass; zeros under ClassRule::Off. Of the last level
  /// only what memory served. Adds up to misses().
  std::array<std::array<uint64_t, MissClasses>, CacheLevels> Missed{};
  /// Hits of lines that a fully associative cache of the same size would have
  /// replaced: how much of capacity misses the sets hide.
  std::array<uint64_t, CacheLevels> AntiConflicts{};

  uint64_t accesses() const;
  /// Accesses that this level was asked for and did not have; the last level
  /// is not asked for what a remote CPU serves. Only of a level that exists.
  uint64_t misses(CacheLevel Level) const;
  CacheCounts &operator+=(const CacheCounts &Other);
  bool operator==(const CacheCounts &) const = default;
};

/// Private levels with MESI, then the last level, then memory. Write-back,
/// write-allocate, LRU. Levels are not inclusive: each keeps what it was asked
/// for last, and no level takes lines from another. Deterministic. Threads: one
/// at a time.
class CacheModel {
public:
  /// `Geometry` is one that parseCacheGeometry() may return.
  CacheModel(const CacheGeometry &Geometry, const CacheOptions &Options);

  /// Accesses have to come in the order of time. With Crossing::PerLine the
  /// outcome of an access to several lines is that of the line which came from
  /// farthest; the counts have all of them. Good until the next access.
  const AccessOutcome &access(const MemoryReference &R) {
    const uint64_t First = R.Address >> LineShift;
    CpuCaches &Own = Private[R.Cpu];
    const bool MustOwn = Coherent && R.Kind != AccessKind::Load;
    if (First == lastLine(R) && Own.Front->isFirst(First, MustOwn) &&
        (!Classes || Own.isRepeated(First, R.Kind))) {
      ++Own.Counts[size_t(R.Kind)].Served[size_t(Nearest)];
      return Plain[size_t(Nearest)];
    }
    return accessSlowly(R);
  }

  /// Of a line on which the latest access() of the CPU missed by sharing: its
  /// bytes, a bit for each, that other CPUs wrote since they took it. Good
  /// until the next access.
  std::span<const uint64_t> writtenByOthers(unsigned Cpu, uint64_t Line) const {
    return Classes->writtenByOthers(Cpu, Line);
  }

  /// access() of each, for those who want nothing but the counts.
  void accessAll(std::span<const MemoryReference> References);

  const CacheCounts &counts(unsigned Cpu, AccessKind Kind) const {
    return Private[Cpu].Counts[size_t(Kind)];
  }
  /// Over all CPUs and kinds.
  CacheCounts total() const;

  /// Calls Take(line) for each line in that cache of the CPU; at the last
  /// level, and at one that does not exist, the CPU does not matter.
  template <typename F>
  void forEachLine(CacheLevel Level, unsigned Cpu, F &&Take) const {
    if (!Geometry[Level].exists())
      return;
    if (Level == CacheLevel::Llc)
      Shared[0].forEach(Take);
    for (size_t Depth = 0; Depth < PrivateLevels.size(); ++Depth)
      if (PrivateLevels[Depth] == Level)
        Private[Cpu].Levels[Depth].forEach(Take);
  }

  const CacheGeometry Geometry;
  const CacheOptions Options;
  const ServedBy Nearest; ///< of all levels

private:
  friend class CacheReplay;
  struct CpuCaches {
    /// The nearest first; the mark of a line in the first: surely modified.
    std::vector<TagArray> Levels;
    TagArray *Front; ///< the first of them, or what all CPUs share
    /// The line of the latest access, if another access to it, while it is
    /// here, leaves everything as it is that decides classes; to store it
    /// again, if Settled.
    uint64_t Repeatable = NoLine;
    bool Settled = false;
    bool isRepeated(uint64_t Line, AccessKind Kind) const {
      return Line == Repeatable && (Settled || Kind == AccessKind::Load);
    }
    std::array<CacheCounts, AccessKinds> Counts;
  };

  uint64_t lastLine(const MemoryReference &R) const {
    return (R.Address + R.Bytes - (R.Bytes != 0)) >> LineShift;
  }
  const AccessOutcome &accessSlowly(const MemoryReference &R);
  const AccessOutcome &accessOneLine(const MemoryReference &R, uint64_t Line) {
    return Classes ? accessClassified(R, Line) : accessPlain(R, Line);
  }
  const AccessOutcome &accessTogether(const MemoryReference &R, uint64_t First,
                                      uint64_t Last);
  const AccessOutcome &accessPlain(const MemoryReference &R, uint64_t Line);
  const AccessOutcome &accessClassified(const MemoryReference &R,
                                        uint64_t Line);
  template <unsigned Ways>
  size_t countRun(std::span<const MemoryReference> References);
  bool visitPrivate(unsigned Depth, MissClassifier::Asked &What,
                    AccessOutcome &Out);
  struct Outside {
    ServedBy From;
    bool InShared; ///< the last level has the line, whoever serves it
  };
  Outside askOutside(unsigned Cpu, uint64_t Line);
  ServedBy visitOutside(MissClassifier::Asked &What, AccessOutcome &Out);
  bool acquire(unsigned Cpu, uint64_t Line, bool Stores, bool Inside);
  void makeRoom(unsigned Cpu, uint64_t Victim);
  void countClasses(const MissClassifier::Asked &What, AccessKind Kind,
                    AccessOutcome &Out);
  bool isDirtyElsewhere(unsigned Cpu, uint64_t Line) {
    return Coherent && Lines.isDirtyElsewhere(Line, Cpu);
  }

  const unsigned LineShift;
  const bool Coherent;
  std::vector<CacheLevel> PrivateLevels;
  std::vector<CpuCaches> Private; ///< by CPU
  std::vector<TagArray> Shared;   ///< the last level, if it exists
  Directory Lines;
  std::unique_ptr<MissClassifier> Classes;
  /// By ServedBy, then the same with an upgrade. Outcomes are not made for each
  /// access: to put one together byte by byte takes longer than most accesses.
  std::array<AccessOutcome, 2 * Servers> Plain;
  AccessOutcome Latest;
};

} // namespace kst
