// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a profile with fewer counts would have looked like: how much of an
// answer rests on how much was measured.

#pragma once

#include "hybrid/profile/Profile.h"

namespace kst {

/// P as if each execution of a region, each access that only its address told
/// and each sample had been recorded with probability Keep, 0 < Keep <= 1,
/// independently: every count n becomes a draw from Binomial(n, Keep). Sites
/// count as often as what is left of their regions runs them; what no region
/// explains is drawn for itself. Tables, lost events and runs stay; the
/// duration becomes its share. Text gets `thinned`, "KEEP, seed SEED".
///
/// A run that really was shorter loses whole visits: its counts within a
/// function vary less against each other than these.
///
/// Same profile, share and seed: same result, with the same C++ library.
/// Time: a few draws per row.
Profile downsampleProfile(Profile P, double Keep, uint64_t Seed);

} // namespace kst
