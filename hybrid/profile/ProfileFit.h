// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether what was measured is the struct that is analysed. Counts of another
// layout would land on the wrong fields without a word.

#pragma once

#include "hybrid/core/Record.h"
#include "hybrid/core/Result.h"
#include "hybrid/profile/Profile.h"

#include <optional>

namespace kst {

/// Why struct Of of profile P is not the record, naming struct and field, or
/// nothing if it may well be: the sizes are equal, and every field of a size
/// that is no bit-field begins where a member of the measured struct does. The
/// measured struct has members that the record has not: padding, and what
/// stands for bit-fields. Where the profile knows names of members, and at
/// least half of those of the record, each is at its offset. Fields of a union
/// all begin with it. A struct of unknown size fits every record; one without
/// members is compared by size.
std::optional<Failure> misfit(const Profile &P, const MeasuredStruct &Of,
                              const RecordInfo &Record);

/// All rows of Profile::Structs that are the record: of its name, and no
/// misfit(). Different units may have different structs of one name; rows that
/// do not fit are left out as long as one does. A Failure if the profile knows
/// no struct of the name, or if none fits: then the first misfit.
Result<std::vector<uint32_t>> measuredStructs(const Profile &P,
                                              const RecordInfo &Record);

} // namespace kst
