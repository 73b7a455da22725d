// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `profile show` prints: what was measured, when and where, how much of
// the code it covers, and the counts.

#pragma once

#include "hybrid/core/MemberName.h"
#include "hybrid/core/ToolId.h"
#include "hybrid/profile/Profile.h"
#include "hybrid/report/Document.h"

#include <map>
#include <string>
#include <utility>

namespace kst {

struct ProfileReport {
  ToolId Tool;
  std::string File; ///< as the user named it
  Profile What;
  std::string Struct; ///< only this one; empty: all
  /// Members of its structs by name and size, as far as known; counters know
  /// bytes only.
  std::map<std::pair<std::string, uint64_t>, MemberNames> Members;
  unsigned Top = 20; ///< rows of each list in short; 0: all
};

Document describe(const ProfileReport &R);

/// schema/kst-profile-1.schema.json; every row, whatever Top says.
std::string toJson(const ProfileReport &R);

} // namespace kst
