// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a layout lost against that of a baseline, beyond what a review of a
// change says.

#pragma once

#include "hybrid/review/ReviewStruct.h"

namespace kst {

/// Adds findings of the kinds SizeGrew, CostGrew and SplitField. A field is
/// split if it crosses the end of a line, did not in the base, is no longer
/// than a line and makes at least MinShare of the accesses. The cost is that of
/// the fields of both layouts under the visits of the head.
void addBaselineFindings(const StructVersions &Of, const ReviewOptions &Options,
                         ReviewedStruct &To);

} // namespace kst
