// SPDX-License-Identifier: GPL-2.0-or-later
//
// Fields of the analysed struct at places that measurements name.

#pragma once

#include "hybrid/profile/Profile.h"
#include "hybrid/program/Program.h"

#include <string_view>
#include <vector>

namespace kst {

/// The top-level field that a path such as `list.next` begins with, or None.
/// The name of an anonymous union is those of its members.
uint32_t fieldOfPath(const RecordInfo &Record, std::string_view Path);

/// The fields that a site touches, by its path if it has one, else by its
/// bytes: bulk accesses touch several, all others one or none.
std::vector<uint32_t> fieldsAt(const RecordInfo &Record,
                               const MeasuredSite &Site, std::string_view Path);

/// Whether accesses of the field may be missing from what counters in compiled
/// code say: a bit-field in the first storage unit of a struct is read and
/// written by the struct's address, and behind a plain pointer nothing there
/// tells which struct that is (docs/guide/measuring.md).
bool mayLackCounts(const RecordInfo &Record, uint32_t Field);

} // namespace kst
