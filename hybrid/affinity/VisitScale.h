// SPDX-License-Identifier: GPL-2.0-or-later
//
// Visits that happen more or less often than the evidence says.

#pragma once

#include "hybrid/core/Evidence.h"

namespace kst {

/// Multiplies the weight of a set of the evidence by Factor, >= 0, and its part
/// of what is said of single fields. The order of sets is not kept.
void scaleVisits(AffinityEvidence &Of, CoAccessSet &Set, double Factor);

} // namespace kst
