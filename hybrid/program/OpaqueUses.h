// SPDX-License-Identifier: GPL-2.0-or-later
//
// The places of a program that reach a record's memory other than by members
// and give no rule.

#pragma once

#include "hybrid/core/OpaqueUse.h"
#include "hybrid/program/SourceRules.h"

#include <vector>

namespace kst {

/// By place, each once. None for a union. A record that begins with this one
/// is reached with it. Knows only code that was analysed.
std::vector<OpaqueUse> opaqueUses(const RuleBasis &Basis, RecordId Id);

} // namespace kst
