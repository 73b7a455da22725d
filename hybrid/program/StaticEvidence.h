// SPDX-License-Identifier: GPL-2.0-or-later
//
// Affinity evidence from source alone: the linked facts of a selection.

#pragma once

#include "hybrid/core/Evidence.h"
#include "hybrid/core/Result.h"
#include "hybrid/program/Frequencies.h"
#include "hybrid/program/Program.h"
#include "hybrid/program/SourceRules.h"
#include "hybrid/program/VisitBasis.h"
#include "hybrid/program/Visits.h"

namespace kst {

/// Evidence on any record of a program, one after the other or at once: what
/// all of it rests on is found once. Immutable; safe to share between threads.
/// Borrows program and estimate.
class StaticSource {
public:
  StaticSource(const Program &Whole, const Estimate &Guess);

  /// As staticEvidence().
  Result<AffinityEvidence> evidence(const std::string &Struct) const;
  AffinityEvidence evidence(RecordId Id) const;
  const RecordPlaces &places() const { return Basis.Places; }
  /// Whether some function names a field of the record: without one there is no
  /// visit to it.
  bool isNamed(RecordId Id) const { return !Basis.naming(Id).empty(); }

private:
  const Program &Whole;
  const Estimate &Guess;
  const VisitBasis Basis;
  const RuleBasis Rules;
  const bool NoThread; ///< startsNoThread()
};

/// Covers what the given facts cover, and nothing dynamic. Fails for a struct
/// that no unit defines (the message proposes similar names), and for one that
/// units define in several places (it names them).
Result<AffinityEvidence> staticEvidence(const Program &Whole,
                                        const Estimate &Guess,
                                        const std::string &Struct);

/// The one record of that name, or the first of those that one definition's
/// text makes; fails as staticEvidence() does.
Result<RecordId> findRecord(const Program &Whole, const std::string &Struct);

/// Visits as evidence: sets, uses of fields, rules, what was dropped.
AffinityEvidence evidenceOf(const Program &Whole, RecordId Id,
                            const VisitList &Found);

/// The order of AffinityEvidence::Sets.
void sortSets(std::vector<CoAccessSet> &Sets);

} // namespace kst
