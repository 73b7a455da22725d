// SPDX-License-Identifier: GPL-2.0-or-later
//
// What text and HTML say about measurements: what each profile covers, where
// the numbers of a field come from, and under which profiles the advice holds.

#ifndef KST_HYBRID_FIELDORDER_MEASUREDVIEW_H
#define KST_HYBRID_FIELDORDER_MEASUREDVIEW_H

#include "hybrid/fieldorder/ReportView.h"

#include <string>
#include <utility>
#include <vector>

namespace kst {

/// "measured", "derived", "never hit", "not reached", "not instrumented",
/// "static".
const char *toWord(Origin From);

/// How much of the accesses of these fields, or of all, was counted, 0..1; the
/// rest is estimated.
double measuredShare(const AffinityEvidence &E);
double measuredShare(const AffinityEvidence &E,
                     const std::vector<uint32_t> &Fields);
/// "82% measured", "measured", "estimated"; "" without a profile.
std::string measuredWords(const AffinityEvidence &E, double Share);

/// A profile as pairs of a heading and what there is to say.
struct ProfileRows {
  std::string Name;
  std::vector<std::pair<std::string, std::string>> Rows;
};
std::vector<ProfileRows> profileRows(const Report &R);

/// How static weights were brought into the unit of the counts, in a sentence.
std::string scaleWords(const Coverage &C);

/// Fields with their evidence, hottest first, under a row of headings: field,
/// evidence, counted reads, counted writes, of them by address, share of the
/// weight that is measured, share of all accesses and its 95 % interval. Fields
/// of which nothing is known are left out.
std::vector<std::vector<std::string>> measuredFields(const ReportView &View);

/// Profiles, gain of the proposed order under each alone, whether it holds,
/// and the lines of which less than 1 % of the visits use two fields. With a
/// row of headings; empty when there is nothing to compare.
std::vector<std::vector<std::string>> underProfiles(const Report &R);

/// Under how many of the profiles the proposed order holds; "" likewise.
std::string holdsWords(const Report &R);

} // namespace kst

#endif
