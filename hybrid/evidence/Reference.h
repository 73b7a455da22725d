// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often code runs under workloads of others: what the estimate is when the
// user has measured nothing, or the prior of what he has.

#pragma once

#include "hybrid/evidence/LineAnchors.h"
#include "hybrid/evidence/MeasuredCode.h"
#include "hybrid/profile/Profile.h"

#include <span>

namespace kst {

/// The estimates of the source after the reference, in a unit of its own: code
/// that some profile saw run has its rate, other code the estimate, scaled.
/// Each profile counts as if all were equally long. Nothing matches: Static.
/// IfFits: Static too where less than one in 20 of the functions outside of
/// headers ran there, as in another program with some of its names. Text: of
/// the analysed source, to find lines that an edit moved.
Estimate withReference(const Program &Whole, const Estimate &Static,
                       std::span<const Profile> Reference, bool IfFits = false,
                       SourceText Text = {});

} // namespace kst
