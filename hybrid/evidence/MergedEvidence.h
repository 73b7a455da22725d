// SPDX-License-Identifier: GPL-2.0-or-later
//
// The visits that the source shows with the weights that measurements give
// them, and sets for what was counted and no visit has.

#pragma once

#include "hybrid/core/Evidence.h"
#include "hybrid/evidence/MeasuredCode.h"

#include <vector>

namespace kst {

/// Reads and writes of each field add up to what was counted. Prior: fields
/// that nothing was seen of keep what the source says. Deterministic.
AffinityEvidence mergedEvidence(const Program &Whole, RecordId Record,
                                const std::vector<MatchedProfile> &Matched,
                                const MeasuredCode &Code, bool Prior);

} // namespace kst
