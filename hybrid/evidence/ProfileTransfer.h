// SPDX-License-Identifier: GPL-2.0-or-later
//
// A profile of another version or configuration of the program, made to fit the
// analysed one: counts of fields follow the fields, and lines the code around
// them. docs/design/measured.md has the rules.

#pragma once

#include "hybrid/core/EvidenceOrigin.h"
#include "hybrid/core/Result.h"
#include "hybrid/evidence/AccessPlaces.h"
#include "hybrid/evidence/FunctionNames.h"

#include <optional>

namespace kst {

/// Of a profile that is transferred, at least this share of the struct's counts
/// must find its field. With less than half, most of what the report calls
/// measured would not be: the estimate of the source is better evidence.
inline constexpr double TransferAtLeast = 0.5;

struct TransferredProfile {
  /// The profile in places of the analysed source. Nothing: its sites are by
  /// function and line alone, and good as they are.
  std::optional<Profile> What;
  ProfileTransfer About;
};

/// Nothing if the profile fits as it is: some row of its structs is the record,
/// and every function that both know begins in the line where it was. A Failure
/// if less than TransferAtLeast finds its field, or the profile has structs and
/// none of that name. Deterministic.
Result<std::optional<TransferredProfile>>
transferProfile(const Program &Whole, const RecordInfo &Record,
                const FunctionNames &Names, AccessPlaces &Places,
                const Profile &From);

} // namespace kst
