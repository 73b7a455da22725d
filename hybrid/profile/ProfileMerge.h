// SPDX-License-Identifier: GPL-2.0-or-later
//
// Several runs as one: counts add up. Runs of different kernels, or of
// different layouts of one struct, do not.

#pragma once

#include "hybrid/profile/ProfilesDiffer.h"

#include <vector>

namespace kst {

/// The sum of all: counts, runs, durations and losses add; texts about the run
/// are joined, but for `pid`, which goes if it differs. The order of the inputs
/// does not matter, and sums of sums are the sum. A function is not counted if
/// no input that knows sites of it counts them. A Failure if profilesDiffer(),
/// if there is none to add, or if a sum does not fit 64 bits.
///
/// Time: n log n in the size of the inputs, which are used up.
Result<Profile> mergeProfiles(std::vector<NamedProfile> Inputs);

} // namespace kst
