// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses counted by the place in a type and the place in the source.

#pragma once

#include "hybrid/cache/LineTable.h"
#include "hybrid/dprof/DataProfile.h"
#include "hybrid/trace/TraceTables.h"

namespace kst {

/// Memory grows with the different places, of which it keeps MostPlaces; the
/// accesses of others are counted by type.
class PlaceTable {
public:
  static constexpr uint32_t MostPlaces = 1 << 19;

  struct Key {
    uint32_t Type = ~0u, OffsetBytes = 0, SizeBytes = 0, Site = 0;
    ContextKind Context = ContextKind::Task;
    bool operator==(const Key &) const = default;
  };

  /// Counts an access; returns its place, or None.
  PlaceTable() : Latest(LatestPlaces, None) {}
  static constexpr uint32_t None = ~0u;
  uint32_t count(const Key &Of, unsigned Cpu, bool Stores);
  /// No miss counts nothing.
  void countMiss(uint32_t Place, MissClass Class) {
    if (Place != None && Class != MissClass::None)
      ++Missed[Place][size_t(Class)];
  }
  /// A miss that was counted as false sharing was true sharing.
  void turnTrue(uint32_t Place);

  /// Into the rows of the profile, by offset, most misses first; and the sites.
  void finish(const TraceTables &Tables, DataProfile &Into) const;

private:
  struct Row {
    Key Of;
    uint64_t Loads = 0, Stores = 0, Cpus = 0;
  };
  uint32_t find(const Key &Of);

  std::vector<Row> Rows;
  std::vector<std::array<uint32_t, MissClasses>> Missed; ///< of each row
  static constexpr size_t LatestPlaces = 1 << 14;
  std::vector<uint32_t> Latest; ///< rows, by the hash of their key
  LineTable<uint32_t> Numbers;  ///< rows from 1, behind the hash of their key
  std::vector<uint64_t> Others; ///< accesses by type
};

} // namespace kst
