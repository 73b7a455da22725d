// SPDX-License-Identifier: GPL-2.0-or-later
//
// An anonymous union is one field, but each user sees it as one of its members:
// which functions use which.

#pragma once

#include "hybrid/core/Evidence.h"
#include "hybrid/program/Program.h"

#include <vector>

namespace kst {

/// For each anonymous field of the record its members that some function reads,
/// writes, or passes the address of; members in the order of the definition,
/// functions by name. Deterministic.
std::vector<MemberUse> memberUses(const Program &Whole, RecordId Id);
/// The same where only these functions name a field of the record.
std::vector<MemberUse> memberUses(const Program &Whole, RecordId Id,
                                  const std::vector<FunctionId> &Users);

} // namespace kst
