// SPDX-License-Identifier: GPL-2.0-or-later
//
// Many units that fail usually fail for one reason: a directory that is wrong
// in all commands, a header that the build has yet to generate.

#pragma once

#include "hybrid/core/Evidence.h"

#include <span>
#include <string>

namespace kst {

/// "N of M files could not be analysed", and what the reason of most of them
/// is, if it is that of two at least. Reasons are compared without the place
/// ("file.c:12: ") that they begin with; of equally frequent ones the first in
/// the alphabet is named.
std::string failureSummary(std::span<const FailedUnit> Failed,
                           uint64_t Selected);

} // namespace kst
