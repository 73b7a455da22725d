// SPDX-License-Identifier: GPL-2.0-or-later
//
// Why an access missed, and where it was served: the answers of the model.

#pragma once

#include "hybrid/cache/CacheGeometry.h"

namespace kst {

/// Where the data of an access came from, the nearest first. Remote: from a CPU
/// that held the line modified.
enum class ServedBy : uint8_t { L1, L2, Remote, Llc, Memory };
inline constexpr unsigned Servers = 5;

/// Why a level missed. The first that applies holds, so classes add up to the
/// misses (after DProf, Pesterev et al., EuroSys'10; conflict and capacity
/// after Hill and Smith, IEEE ToC 1989).
enum class MissClass : uint8_t {
  None,         ///< no miss, or classes are not asked for
  Cold,         ///< no CPU touched the line before
  ColdForeign,  ///< this CPU never did, and another one holds it modified
  ColdClean,    ///< this CPU never did, others did, and none holds it modified
  TrueSharing,  ///< lost to a remote write, which wrote bytes now accessed
  FalseSharing, ///< lost to a remote write to other bytes of the line
  Conflict,     ///< replaced; a fully associative cache would have kept it
  Capacity,     ///< replaced; a fully associative cache had replaced it, too
};
inline constexpr unsigned MissClasses = 8;

/// As in `false-sharing`.
const char *spelling(MissClass Class);
const char *spelling(ServedBy Server);

/// When a miss on a line that a remote write took counts as true sharing.
enum class ClassRule : uint8_t {
  Off,      ///< no classes
  AtMiss,   ///< if the access that missed meets a byte written remotely
  Lifetime, ///< if any access does before the CPU loses the line again
            ///< (Dubois et al., ISCA'93; Torrellas et al., IEEE ToC 1994)
};

/// What one access did.
struct alignas(8) AccessOutcome {
  ServedBy From = ServedBy::L1;
  bool Upgrade = false; ///< a store to a line that this CPU only shared
  /// ClassRule::Lifetime: an earlier miss of this CPU on this line, reported as
  /// FalseSharing at these levels (bit N: CacheLevel N), was TrueSharing.
  uint8_t TurnedTrue = 0;
  /// Levels (bits as above) that had a line which a fully associative cache of
  /// their size would have replaced.
  uint8_t AntiConflict = 0;
  /// By CacheLevel.
  std::array<MissClass, CacheLevels> Class{};

  bool operator==(const AccessOutcome &) const = default;
};

} // namespace kst
