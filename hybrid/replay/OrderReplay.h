// SPDX-License-Identifier: GPL-2.0-or-later
//
// What orders of a struct do to the caches of a model, on the accesses that a
// trace holds: the same accesses in the same sequence for each order, only the
// bytes of the struct's objects lie elsewhere in them.

#ifndef KST_HYBRID_REPLAY_ORDERREPLAY_H
#define KST_HYBRID_REPLAY_ORDERREPLAY_H

#include "hybrid/cache/CacheModel.h"
#include "hybrid/core/Layout.h"
#include "hybrid/trace/TraceReader.h"

#include <array>
#include <string>
#include <vector>

namespace kst {

struct ReplayOptions {
  CacheGeometry Geometry;
  ClassRule Classes = ClassRule::AtMiss;
  /// Accesses of a CPU within which lines of the struct are counted once.
  unsigned WindowAccesses = 512;
};

struct OrderToReplay {
  std::string Name;
  Layout Plan; ///< of the fields of the record
};

/// What the accesses to the struct met in one order.
struct ReplayedOrder {
  std::string Name;
  /// Misses of the nearest cache, by class. Accesses are those of all CPUs; one
  /// that an order puts on several lines counts as several, in all orders.
  std::array<uint64_t, MissClasses> Missed{};
  std::array<uint64_t, Servers> Served{}; ///< accesses by ServedBy
  uint64_t Upgrades = 0;     ///< stores to lines that other CPUs have, too
  double LinesPerWindow = 0; ///< of windows that touch the struct
  /// Misses of the nearest cache, and those of them that are sharing, true or
  /// false.
  struct Field {
    uint64_t Misses = 0, Sharing = 0;
  };
  std::vector<Field> Fields; ///< as in the record

  uint64_t missed(MissClass Class) const { return Missed[size_t(Class)]; }
  uint64_t misses() const;
  /// Lost to another CPU's write, true or false.
  uint64_t sharing() const {
    return missed(MissClass::TrueSharing) + missed(MissClass::FalseSharing);
  }
};

struct ReplayedOrders {
  uint64_t Accesses = 0; ///< of the trace
  uint64_t SubjectAccesses = 0;
  uint64_t InHoles = 0; ///< of those: not to a field, not replayed
  /// Accesses to structs of the same name and another layout: not replayed.
  uint64_t OtherLayouts = 0;
  uint64_t Objects = 0;            ///< of the struct that were accessed
  uint64_t Lost = 0;               ///< events that the recorder lost
  bool Complete = true;            ///< the trace has its end
  std::vector<std::string> Limits; ///< traceLimits()
  uint32_t Cpus = 0;
  std::string Geometry; ///< as parseCacheGeometry() reads it
  CacheLevel Nearest = CacheLevel::L1;
  unsigned WindowAccesses = 0;
  std::vector<ReplayedOrder> Orders; ///< as asked, without those left out
  /// Orders that make the struct longer: its neighbors would move.
  std::vector<std::string> LeftOut;

  /// The trace has accesses to nothing else: what others push out of a cache is
  /// not seen.
  bool onlySubject() const { return Accesses == SubjectAccesses; }
};

/// Replays a trace from its begin to its end. `Structs`: rows of the trace's
/// structs that are the record, as measuredStructs() finds them. Fails on
/// damage, on more than MaxCacheCpus streams, and if nothing is accessed.
/// Memory: the models, what lives at one time, and MissClassifier's history of
/// lines.
Result<ReplayedOrders> replayOrders(TraceReader &Trace,
                                    const std::vector<uint32_t> &Structs,
                                    const RecordInfo &Record,
                                    const std::vector<OrderToReplay> &Orders,
                                    const ReplayOptions &Options);

} // namespace kst

#endif
