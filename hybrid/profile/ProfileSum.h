// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two profiles of one program added, table by table.

#ifndef KST_HYBRID_PROFILE_PROFILESUM_H
#define KST_HYBRID_PROFILE_PROFILESUM_H

#include "hybrid/profile/Profile.h"

namespace kst {

/// Adds B to A: the tables, runs, durations and losses. A's texts about the run
/// stay. Both keep the rules of checkProfile() and are of one program; B is
/// used up. False if a sum does not fit 64 bits; A is of no use then. Time:
/// linear.
bool addProfile(Profile &A, Profile &B);

} // namespace kst

#endif
