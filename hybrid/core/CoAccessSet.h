// SPDX-License-Identifier: GPL-2.0-or-later
//
// Co-access sets: which fields of one instance are touched in one visit, and
// how often such visits happen. Sets are the evidence; the pairwise affinity
// graph is only their projection (Petrank and Rawitz, POPL'02: pairs alone
// hide the optimum).

#pragma once

#include "hybrid/core/EvidenceOrigin.h"
#include "hybrid/core/Spot.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace kst {

enum class SetKind { Block, Loop, Visit, Trace };

/// Whether the visited instance belongs to the CPU that runs the visit. Chosen:
/// it belongs to a CPU that the code names by a number, `per_cpu(x, cpu)`, and
/// whose lock it does not take.
enum class CpuRelation { Local, Remote, Chosen, Unknown };

/// Which part of the instance's life a visit belongs to. Before others can find
/// it and once it is being freed, one CPU owns it: no sharing. First use: what
/// the function that made it does after that.
enum class Phase { Steady, SetUp, FirstUse, TearDown, Configuration };

inline bool isOwned(Phase When) {
  return When == Phase::SetUp || When == Phase::TearDown;
}

/// A place in the source. File is relative to the source root.
struct Site {
  std::string Function;
  std::string File;
  uint32_t Line = 0;
  auto operator<=>(const Site &) const = default;
};

/// A place that accesses a field, and how often.
struct AccessSite {
  Site Where;
  double Reads = 0;  ///< expected number per visit
  double Writes = 0; ///< expected number per visit
  /// Not seen: a callee or an instruction that gets the address is taken to do
  /// it, or the pointer may lead to something else.
  bool Assumed = false;
  bool Guessed = false; ///< of these the latter: it may be no access to it
  bool operator<(const AccessSite &B) const {
    return std::tie(Where, Assumed, Guessed) <
           std::tie(B.Where, B.Assumed, B.Guessed);
  }
};

/// What one visit does to one field.
struct FieldTouch {
  uint32_t Field = 0;       ///< index into RecordInfo::Fields
  double Probability = 0;   ///< 0..1: the visit touches the field at all
  double Reads = 0;         ///< expected number per visit
  double Writes = 0;        ///< expected number per visit
  double LocklessShare = 0; ///< 0..1 of reads + writes
  /// Strongest first; of many the strongest readers and the strongest writers
  /// (StrongestSites.h), so their sums may be less than Reads and Writes.
  std::vector<AccessSite> Sites;
  /// Of a field larger than LeastSpottedBytes, by offset. Empty: all accesses
  /// are at its start, or it is not known.
  std::vector<Spot> Spots;
};

/// One kind of visit. Touches are sorted by Field, each field once.
struct CoAccessSet {
  double Weight = 0; ///< visits, in the unit of the source (static: relative)
  SetKind Kind = SetKind::Visit;
  CpuRelation Cpu = CpuRelation::Unknown;
  /// 0..1: share of the visits that another CPU makes than the object's owner,
  /// where recordings saw it; else Cpu says what is assumed.
  std::optional<double> Others = std::nullopt;
  Phase When = Phase::Steady;
  /// 0..1 of Weight: visits that may meet another CPU at the instance.
  double Shared = 1;
  /// Whoever makes it takes a lock, of the object or another one.
  bool Guarded = false;
  Site Where; ///< the function that owns the visit
  std::vector<FieldTouch> Touches;
  SetOrigin From;
};

/// Accesses of one field over everything that was looked at. Same unit as
/// CoAccessSet::Weight.
struct FieldUse {
  double Reads = 0;
  double Writes = 0;
  double RemoteReads = 0;
  double RemoteWrites = 0;
  double Lockless = 0; ///< of Reads + Writes
  double Lock = 0;     ///< of Reads + Writes: lock operations
  uint32_t Sites = 0;  ///< different places in the source, of those kept
  double total() const { return Reads + Writes; }
};

} // namespace kst
