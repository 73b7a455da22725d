// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses that a trace tells by the name of a field, as logs do.

#pragma once

#include "hybrid/core/MemberName.h"
#include "hybrid/profile/Profile.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kst {

/// Members by name of the struct.
using StructMembers = std::map<std::string, MemberNames>;

/// Bytes of an object; none: the field is not known.
struct NamedPlace {
  uint32_t OffsetBytes = 0, SizeBytes = 0;
};

/// Of a path such as "lock.owner" or "slots[3].key". Of an element of an array,
/// or of a member that is not known, the first byte of what is known around it.
NamedPlace placeOfPath(const MemberNames &Members, std::string_view Path);

/// The fields that sites name, in bytes.
class NamedPlaces {
public:
  NamedPlaces(const Profile &About, const StructMembers &Members);

  /// Of a site that names a field; null: it has an offset.
  const NamedPlace *find(uint32_t Site) const {
    return Site < Of.size() && Named[Site] ? &Of[Site] : nullptr;
  }

private:
  std::vector<bool> Named; ///< by site
  std::vector<NamedPlace> Of;
};

/// Structs of which the trace names fields.
std::set<std::string> structsByName(const Profile &About);

} // namespace kst
