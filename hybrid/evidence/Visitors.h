// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who comes to an object, set by set, where recordings of others know it.

#pragma once

#include "hybrid/core/Evidence.h"
#include "hybrid/profile/VisitorTable.h"

namespace kst {

/// Gives sets whose relation to the object's owner the source does not tell
/// the share of visits by other CPUs (CoAccessSet::Others) that recordings saw:
/// that of the set's function, else the mean over the functions of its
/// accesses, each as often as it accesses; code in headers, which runs for
/// everybody, only where there is no other. Sets of which no function is known
/// keep what is assumed, and those that have a share already keep it.
void giveVisitors(AffinityEvidence &To, const VisitorTable::Shares &Seen);

} // namespace kst
