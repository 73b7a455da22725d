// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether profiles are of one program, and the words for it if not.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/profile/Profile.h"

#include <optional>
#include <string>
#include <vector>

namespace kst {

/// A profile and the name by which people know it: its file.
struct NamedProfile {
  std::string Name;
  Profile What;
};

/// Why these profiles are not of one program, naming the first two files that
/// differ and what differs: source, release, machine or config, where both say
/// it; or the layout of a struct. Where units of a program have several structs
/// of one name, one profile's must be among the other's. Structs without
/// members are compared by size. Nothing if they fit. Profiles keep the rules
/// of checkProfile().
std::optional<Failure> profilesDiffer(const std::vector<NamedProfile> &Of);

} // namespace kst
