// SPDX-License-Identifier: GPL-2.0-or-later
//
// Affinity evidence from source alone: the linked facts of a selection.

#ifndef KST_HYBRID_PROGRAM_STATICSOURCE_H
#define KST_HYBRID_PROGRAM_STATICSOURCE_H

#include "hybrid/core/Evidence.h"
#include "hybrid/program/Frequencies.h"
#include "hybrid/program/Program.h"
#include "hybrid/program/Visits.h"

namespace kst {

/// Covers what the given facts cover, and nothing dynamic. Borrows the program.
class StaticSource : public AffinitySource {
public:
  StaticSource(const Program &Whole, const HotFunctions &Hot)
      : Whole(Whole), Often(estimateFrequencies(Whole, Hot)) {}

  /// The estimates that the weights rest on.
  const Frequencies &frequencies() const { return Often; }

  /// Fails for a struct that no unit defines (the message proposes similar
  /// names), and for one that units define differently (it names the places).
  Result<AffinityEvidence> evidence(const std::string &Struct) const override;

private:
  const Program &Whole;
  Frequencies Often;
};

/// The one record of that name; fails as StaticSource::evidence() does.
Result<RecordId> findRecord(const Program &Whole, const std::string &Struct);

/// Visits as evidence: sets, uses of fields, rules, what was dropped.
AffinityEvidence evidenceOf(const Program &Whole, RecordId Id,
                            const VisitList &Found);

/// The order of AffinityEvidence::Sets.
void sortSets(std::vector<CoAccessSet> &Sets);

} // namespace kst

#endif
