// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a trace shows to happen close together: accesses to one instance by one
// CPU, in windows counted in accesses. No time is looked at: how long a CPU was
// away from an instance says nothing about which fields it wants there.
//
// Repeated accesses of one field in a row are one here (they are on the line
// anyway); the counts of reads and writes keep them.

#pragma once

#include "hybrid/core/CoAccessSet.h"
#include "hybrid/evidence/ObjectUsers.h"

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace kst {

/// One access, in the order of its CPU.
struct WindowEvent {
  uint32_t Cpu = 0;
  uint32_t Field = 0; ///< index into RecordInfo::Fields
  uint64_t Instance = 0;
  bool Write = false;   ///< otherwise it reads
  bool Both = false;    ///< it reads and writes
  bool ByOther = false; ///< the object belongs to another CPU
  uint32_t Site = NoSite;
  /// From the start of a field that is larger than LeastSpottedBytes.
  uint32_t OffsetBytes = NoOffset;

  static constexpr uint32_t NoSite = ~0u, NoOffset = ~0u;
};

/// What a site did to a field in the windows of a set.
struct WindowSite {
  uint64_t Reads = 0, Writes = 0;
};

/// What the windows of a set did to a place in a field.
struct WindowSpot {
  uint64_t Windows = 0, Writes = 0;
};

struct WindowOptions {
  /// Accesses of a window, repeats not counted; 2 to 16.
  uint32_t Window = 8;
  /// Pairs of CPU and instance that are followed at once. When there are more,
  /// all windows are closed and begin anew.
  uint32_t MaxStreams = 1 << 16;
  /// Different sets that are kept.
  uint32_t MaxSets = 1 << 16;
  /// Sites of fields in sets that are kept, all sets together.
  uint32_t MaxSites = 1 << 20;
};

/// Streaming; memory is bounded by the options and the square of the number of
/// fields. Deterministic.
class Windows {
public:
  explicit Windows(uint32_t Fields, const WindowOptions &Options = {});

  /// Events of fields that do not exist are ignored.
  void add(const WindowEvent &E);
  /// Closes the open windows. No event may follow.
  void finish();

  /// The place of each WindowEvent::Site, for sets(); sites beyond have none.
  std::vector<Site> Places;

  uint32_t fields() const { return N; }
  uint64_t events() const { return Events; }
  const std::vector<uint64_t> &reads() const { return Reads; }
  const std::vector<uint64_t> &writes() const { return Writes; }
  /// Of all instances: events by the CPU that has most, and by others.
  UserCounts users() const { return Users.counts(); }

  /// How often one field of a pair follows the other: fields * fields,
  /// symmetric, 0 on the diagonal.
  const std::vector<uint64_t> &adjacent() const { return Adjacent; }

  /// Windows that do not overlap, equal ones as one: Weight is their number.
  /// Remote are those of which more than half is by another CPU than the
  /// object's, the others Local. Strongest first; ties by fields. Kind is
  /// Trace. A field's sites in a window are the first that read and the first
  /// that wrote it.
  std::vector<CoAccessSet> sets() const;

private:
  static constexpr uint32_t MostInWindow = 16;
  static constexpr uint32_t MostSpots = 4;
  struct Use {
    uint32_t Field = 0;
    uint32_t Reads = 0, Writes = 0;
    uint32_t Reader = WindowEvent::NoSite, Writer = WindowEvent::NoSite;
    uint32_t ByReader = 0, ByWriter = 0; ///< their part of both
    /// The first places in it, and the writes to each.
    uint32_t Spots = 0;
    std::array<uint32_t, MostSpots> SpotAt{}, SpotWrites{};
  };
  struct Stream {
    static constexpr uint32_t NoField = ~0u;
    uint32_t Last = NoField; ///< field of the latest access
    uint32_t InWindow = 0, Used = 0;
    uint32_t Events = 0, ByOthers = 0; ///< of the window
    Use Window[MostInWindow];
  };
  struct Key {
    uint64_t Instance;
    uint32_t Cpu;
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    size_t operator()(const Key &K) const {
      uint64_t H = (K.Instance ^ (uint64_t(K.Cpu) << 48)) * 0x9e3779b97f4a7c15;
      return H ^ H >> 31;
    }
  };
  struct SetCount {
    uint64_t Windows = 0;
    std::vector<uint64_t> Reads, Writes; ///< by field of the key
    /// By number of the field in the key, and site.
    std::map<std::pair<uint32_t, uint32_t>, WindowSite> Sites;
    /// By number of the field in the key, and offset.
    std::map<std::pair<uint32_t, uint32_t>, WindowSpot> Spots;
  };
  WindowSite *site(SetCount &In, uint32_t Number, uint32_t Site);
  void addSpots(SetCount &In, uint32_t Number, const Use &Of);
  void close(Stream &Of);

  uint32_t N;
  WindowOptions Options;
  uint64_t Events = 0;
  uint32_t SitesKept = 0;
  ObjectUsers Users;
  std::vector<uint64_t> Reads, Writes, Adjacent;
  std::unordered_map<Key, Stream, Hash> Streams;
  Key LastKey{0, ~0u};
  Stream *LastStream = nullptr;
  /// By relation, then fields.
  std::unordered_map<std::u32string, SetCount> Sets;
};

} // namespace kst
