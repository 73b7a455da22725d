// SPDX-License-Identifier: GPL-2.0-or-later
//
// Remembers of every line what decides the class of its next miss.

#pragma once

#include "hybrid/cache/Directory.h"
#include "hybrid/cache/FullLru.h"
#include "hybrid/cache/MissClass.h"
#include "hybrid/cache/TagArray.h"

#include <memory>
#include <optional>
#include <span>

namespace kst {

/// Bytes `Begin` to `End` - 1 of a line.
struct LineBytes {
  uint32_t Begin, End;
};

/// Follows one CacheModel, access by access. Memory grows with the number of
/// different lines, as cold misses cannot be told without them.
class MissClassifier {
public:
  MissClassifier(const CacheGeometry &Geometry, unsigned Cpus, ClassRule Rule);

  /// What is known when a level is asked.
  struct Asked {
    unsigned Cpu;
    uint64_t Line;
    LineBytes Bytes;
    bool DirtyElsewhere;
    MissClass Above; ///< at the level that was asked before, or None
  };
  struct Visit {
    MissClass Class;   ///< None if it hit
    bool AntiConflict; ///< it hit, and a fully associative cache had missed
  };
  /// A level is asked for a line and has it or not. For the last level, and
  /// only there, the CPU does not matter.
  Visit visit(CacheLevel Level, const Asked &What, bool Hit);

  /// A remote write took the line from all private caches of the CPU.
  void taken(unsigned Cpu, uint64_t Line);
  /// The line left all private caches of the CPU, to make room.
  void replaced(unsigned Cpu, uint64_t Line);

  /// The access is over, all levels have been visited, and the line taken from
  /// whom a store took it. `FalseAt`: levels (bit N: CacheLevel N) at which
  /// this access is counted as FalseSharing; it comes back as `Turned` if a
  /// later access shows otherwise. `Tag` is the caller's, below 16, and comes
  /// back with it.
  struct Turned {
    uint8_t Levels = 0, Tag = 0;
  };
  Turned done(const Asked &What, bool Stores, uint8_t FalseAt, uint8_t Tag);

  /// Bytes of the line, a bit for each, that other CPUs wrote since they took
  /// it from this one, which did; until it is taken again.
  std::span<const uint64_t> writtenByOthers(unsigned Cpu, uint64_t Line) {
    return {writtenSince(noteOf(*Lines.find(Line), Cpu)), Words};
  }

  /// No CPU has lost the line of the latest done() and not asked for it since:
  /// it does not matter which of its bytes are written.
  bool isSettled() const { return LatestLost == 0; }

private:
  struct History {
    CpuSet Touched = 0;
    CpuSet Lost = 0;    ///< to a remote write, and have not asked for it since
    uint32_t Notes = 0; ///< number of the line's notes from 1; 0: none
  };
  /// What hangs on one CPU and one line that it lost.
  struct LossNote {
    Turned Open; ///< the last miss may yet turn true
  };
  /// A level of a CPU, or the last level.
  struct Twins {
    FullLru Full;
    std::optional<TagArray> Undisturbed; ///< as if no remote write took a line
  };

  size_t noteOf(const History &H, unsigned Cpu) const {
    return size_t(H.Notes - 1) * Cpus + Cpu;
  }
  uint64_t *writtenSince(size_t Note) { return &Written[Note * Words]; }
  bool meetsWritten(size_t Note, LineBytes Bytes);
  void addWritten(size_t Note, LineBytes Bytes);

  const unsigned Cpus, Words;
  const ClassRule Rule;
  std::vector<Twins>
      PrivateTwins;               ///< [Cpu * 2 + level]; none without the level
  std::vector<Twins> SharedTwins; ///< one or none
  std::array<unsigned, CacheLevels> TwinOf{};
  unsigned TwinsPerCpu = 0;
  LineTable<History> Lines;
  uint32_t LinesWithNotes = 0;
  CpuSet LatestLost = 0;       ///< of the line of the latest done()
  std::vector<LossNote> Notes; ///< [noteOf()]
  std::vector<uint64_t>
      Written; ///< [noteOf()][Words], a bit for each byte that
               ///< others wrote since the CPU lost the line
};

} // namespace kst
