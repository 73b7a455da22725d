// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rules that hybrid/profile/Profile.h states in comments, as a check:
// whoever holds a profile that passed it may follow every number without
// looking.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/profile/Profile.h"

#include <optional>

namespace kst {

/// The first rule that the profile breaks, or nothing when it keeps all:
///  - Strings[0] is "", every table is strictly sorted as ProfileOrder.h says,
///    so that no two rows are about the same thing;
///  - every number of a text, struct or site is in its table;
///  - Begin and End of structs and of regions cut Elements and References into
///    consecutive pieces, nothing left over;
///  - kinds are known ones, sites are referred to at least once per reference,
///    counts by address lie inside a struct of known size;
///  - texts hold no control characters.
/// Time linear in the size of the profile, no memory. Deterministic.
std::optional<Failure> checkProfile(const Profile &P);

} // namespace kst
