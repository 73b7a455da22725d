// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much of each type there is: live, touched and in the caches of the model,
// window by window; and how full the sets of the cache are.

#pragma once

#include "hybrid/dprof/ObjectHistories.h"
#include "hybrid/dprof/TypeTable.h"

namespace kst {

/// Windows have equal numbers of events. Memory grows with the lines that are
/// touched in one window and with the lines of the caches.
class WorkingSet {
public:
  WorkingSet(const CacheModel &Model, CacheLevel Level, const TypeTable &Types,
             const TraceTables &Tables);

  /// An access to one line, after the model had it. A line counts as active for
  /// the type that touches it first in the window, and as resident for the one
  /// that last missed on it.
  void access(uint64_t Line, unsigned Cpu, uint32_t Type,
              const AccessOutcome &Out) {
    uint64_t &Seen = Filter[Cpu * FilterLines + Line % FilterLines];
    if (Seen != Line) {
      Seen = Line;
      touch(Line, Cpu, Type);
    }
    if (Out.From != ServedBy::L1)
      miss(Line, Cpu, Type, Out.Class[size_t(Level)]);
  }

  /// Ends a window.
  void endWindow(uint64_t Time, const ObjectTable &Live,
                 const ObjectHistories &Histories);

  /// Into the rows of the profile, by the types of the table.
  void finish(DataProfile &Into) const;

private:
  static constexpr uint64_t FilterLines = 4096;
  static constexpr size_t MostSetTypes = size_t(1) << 20;
  struct Fights {
    uint64_t Conflicts = 0, Capacity = 0;
  };

  void touch(uint64_t Line, unsigned Cpu, uint32_t Type);
  void miss(uint64_t Line, unsigned Cpu, uint32_t Type, MissClass Class);
  size_t setOf(uint64_t Line, unsigned Cpu) const {
    return (Shared ? 0 : Cpu * Shape.Sets) + Line % Shape.Sets;
  }
  void addResident(WindowRow &Row);

  const CacheModel &Model;
  const CacheLevel Level;
  const CacheShape Shape;
  const bool Shared;
  const TypeTable &Table;
  const size_t Types;
  std::vector<uint64_t> StaticBytes; ///< by type
  std::vector<uint64_t> Filter;      ///< [CPU][line]: seen in this window
  LineTable<CpuSet> Touched;         ///< in this window, by whom
  std::vector<uint64_t> ActiveLines; ///< in this window, by type
  LineTable<uint32_t> ResidentType;  ///< of lines that may be in a cache
  size_t HeldLines = 0; ///< in all caches together, at the end of the window
  std::vector<uint64_t> Demand;   ///< [setOf()] of all windows
  std::vector<Fights> Lost;       ///< [setOf()]
  LineTable<Fights> LostByType;   ///< [setOf() * Types + type]
  std::vector<uint64_t> SetTypes; ///< its keys
  bool SetTypesCut = false;
  std::vector<WindowRow> Rows;
  std::vector<std::array<BytesOverTime, CacheLevels>> Resident; ///< sums
};

} // namespace kst
