// SPDX-License-Identifier: GPL-2.0-or-later
//
// How many visits an object lives for, where the user says so.

#pragma once

#include "hybrid/core/Evidence.h"

namespace kst {

/// Turns evidence to objects that get VisitsPerLife steady visits, > 0, first
/// use included, for each visit that makes them or takes them apart: weights of
/// set-up and teardown are multiplied by one factor, whatever they rest on.
/// Without either kind nothing changes. The order of sets is not kept.
void turnToLives(AffinityEvidence &Of, double VisitsPerLife);

} // namespace kst
