// SPDX-License-Identifier: GPL-2.0-or-later
//
// A profile's own names of the members of its structs: where fields were.

#pragma once

#include "hybrid/evidence/FieldMap.h"
#include "hybrid/profile/Profile.h"

#include <string>

namespace kst {

/// Whether the profile names members of the row of its Profile::Structs.
bool hasMemberNames(const Profile &From, uint32_t Struct);

/// From the row's members to the fields of the record that have their names.
FieldMap fieldsByName(const Profile &From, uint32_t Struct,
                      const RecordInfo &Record);

/// What the profile calls the member at a bit of the row, all of them with "|"
/// between them in a union; "" if it names none.
std::string memberNameAt(const Profile &From, uint32_t Struct, uint64_t Bit);

} // namespace kst
