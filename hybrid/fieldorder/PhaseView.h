// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much of what is shown belongs to which part of the instances' life.

#ifndef KST_HYBRID_FIELDORDER_PHASEVIEW_H
#define KST_HYBRID_FIELDORDER_PHASEVIEW_H

#include "hybrid/core/Evidence.h"

#include <string>

namespace kst {

inline constexpr Phase AllPhases[] = {Phase::Steady, Phase::SetUp,
                                      Phase::FirstUse, Phase::TearDown,
                                      Phase::Configuration};

/// "steady", "set-up", "first-use", "teardown", "configuration".
const char *toWord(Phase When);

/// Of the weight of all sets, 0..1; 0 without sets.
double phaseShare(const AffinityEvidence &E, Phase When);

/// One sentence for the head of a report; "" when all visits are steady.
std::string phaseWords(const AffinityEvidence &E);

/// "remote loop", "set-up visit": what kind of visits a set stands for.
std::string visitWords(const CoAccessSet &Set);

} // namespace kst

#endif
