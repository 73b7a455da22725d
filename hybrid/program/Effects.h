// SPDX-License-Identifier: GPL-2.0-or-later
//
// What one invocation of a function does to instances of the subject, its
// callees included: the callee summary.

#pragma once

#include "hybrid/core/Spot.h"
#include "hybrid/program/LifeState.h"
#include "hybrid/program/LinkValues.h"

#include <map>
#include <tuple>
#include <vector>

namespace kst {

/// Accesses of one field of one instance.
///
/// Resolved: Instance is the address of a subject, Field its top-level field.
/// Pending (Field == None): Instance is a pointer of which it is not yet known
/// whether it points into a subject; Part is the record accessed through it, or
/// None for a scalar. A caller that passes `&obj->field` resolves it.
struct Effect {
  /// A site, still as numbers, and its part.
  struct Site {
    StrId File = 0; ///< pool
    uint32_t Line = 0;
    FunctionId Function = None;
    bool Assumed = false; ///< see AccessSite
    double Reads = 0;     ///< of the effect's
    double Writes = 0;    ///< of the effect's
    bool Guessed = false; ///< see AccessSite
    auto place() const {
      return std::tie(File, Line, Function, Assumed, Guessed);
    }
    bool operator<(const Site &B) const { return place() < B.place(); }
    bool operator==(const Site &) const = default;
  };

  double Probability = 0; ///< that the visit touches it, 0..1
  /// Chance that the instance is a subject: callees that take a part for one
  /// may be one of several targets of a call. 0..1
  double Sure = 1;
  double Reads = 0;  ///< per invocation
  double Writes = 0; ///< per invocation
  double Lock = 0;   ///< of Reads + Writes
  double Marked = 0; ///< of Reads + Writes: once, atomic, RCU
  /// The strongest readers and the strongest writers, strongest first.
  std::vector<Site> Sites;
  /// From the start of the field, or of what Instance points to. Empty: all at
  /// the start.
  std::vector<Spot> Spots;

  /// Adds Other, which happens in the same visit, scaled by how often.
  void add(const Effect &Other, double Probability, double Times);
  /// Makes each read and each write so many. Lock and Marked keep their share.
  void scale(double ReadTimes, double WriteTimes);
  /// Per visit of which only one in so many is one. At most 1.
  void condition(double Share);
  /// Makes it at most as probable.
  void limit(double Most);
  /// Makes the spots lie further on.
  void shift(uint32_t Bytes);
  /// Marks every site as assumed and guessed.
  void assume();
  bool operator==(const Effect &) const = default;

private:
  void addSites(const std::vector<Site> &Others, double Times);
};

struct EffectKey {
  LinkId Instance = None;
  uint32_t Field = None;
  RecordId Part = None;
  LifeState When;
  bool Configuration = false; ///< runs while the system is being configured
  /// The loop of which each round is a visit (Rounds.h), where that is not
  /// the one in which the instance changes.
  uint32_t Round = None;
  auto operator<=>(const EffectKey &) const = default;
};

/// Ordered, so that everything derived from it is deterministic.
using Effects = std::map<EffectKey, Effect>;

/// Summaries of the functions done so far; by FunctionId.
using SummaryTable = std::vector<Effects>;

} // namespace kst
