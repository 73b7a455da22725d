// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which units of the build see a definition, and how many of them were not
// looked at: what those demand of the order is not known.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

/// Of one configuration. A unit sees a definition if it is in the unit's file
/// or in a file that the unit includes, directly or not.
struct UnanalyzedUsers {
  std::string Config;            ///< as the user knows it
  std::string Unknown;           ///< why nobody knows; empty: the rest holds
  uint32_t Units = 0;            ///< that see it, looked at or not
  uint32_t Missed = 0;           ///< that see it and were not looked at
  std::vector<std::string> Some; ///< a few of those, by name
  std::string Command;           ///< that looks at all
  /// Of the Units, some may not see it: conditions of the preprocessor were
  /// not evaluated.
  bool AtMost = false;
};

} // namespace kst
