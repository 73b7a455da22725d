// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where a number comes from, in words, and how much of several was measured.

#ifndef KST_HYBRID_FIELDORDER_MEASUREDVIEW_H
#define KST_HYBRID_FIELDORDER_MEASUREDVIEW_H

#include "hybrid/fieldorder/Report.h"

#include <string>
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

} // namespace kst

#endif
