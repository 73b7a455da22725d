// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses counted by the place in a type and the place in the source.

#pragma once

#include "hybrid/dprof/DataProfile.h"
#include "hybrid/trace/TraceTables.h"

namespace kst {

/// Memory grows with the different places, of which it keeps MostPlaces; the
/// accesses of others are counted by type.
class PlaceTable {
public:
  static constexpr uint32_t MostPlaces = 1 << 19;

  struct Key {
    uint32_t Type = ~0u, OffsetBytes = 0, Site = 0;
    uint32_t SizeBytes : 24 = 0;
    ContextKind Context : 8 = ContextKind::Task;
    bool operator==(const Key &) const = default;
    uint64_t hash() const;
  };

  static constexpr uint32_t None = ~0u;
  /// Counts an access; returns its place, or None. Hash is the key's.
  uint32_t count(const Key &Of, uint64_t Hash, unsigned Cpu, bool Stores);
  /// Hints, first one and then the other: such a key will be counted soon.
  void expect(uint64_t Hash) const { __builtin_prefetch(&Slots[home(Hash)]); }
  void fetch(uint64_t Hash) const {
    if (uint32_t Slot = Slots[home(Hash)])
      __builtin_prefetch(&Rows[numberIn(Slot)], 1);
  }
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
  /// There are more than a host's caches hold: each is one line of the host.
  struct alignas(64) Row {
    Key Of;
    uint64_t Loads = 0, Stores = 0, Cpus = 0;
  };
  uint32_t find(const Key &Of, uint64_t Hash);
  void grow();

  /// A slot is 0, or the number of a row from 1 and behind it some bits of its
  /// key's hash, which tell most other keys without a look at their row.
  static constexpr unsigned NumberBits = 20;
  static_assert(MostPlaces < uint32_t(1) << NumberBits);
  static uint32_t slot(uint64_t Hash, size_t Row) {
    return uint32_t(Hash >> 32 >> NumberBits << NumberBits | (Row + 1));
  }
  static uint32_t numberIn(uint32_t Slot) {
    return (Slot & ((1 << NumberBits) - 1)) - 1;
  }
  /// Where the search for a hash begins; slots are a power of two.
  size_t home(uint64_t Hash) const { return Hash & (Slots.size() - 1); }

  std::vector<Row> Rows;
  std::vector<std::array<uint32_t, MissClasses>> Missed; ///< of each row
  std::vector<uint32_t> Slots = std::vector<uint32_t>(1 << 12);
  std::vector<uint64_t> Others; ///< accesses by type
};

} // namespace kst
