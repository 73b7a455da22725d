// SPDX-License-Identifier: GPL-2.0-or-later
//
// Stores to scalars behind pointers. Threads share their lines as well, so
// whoever asks for structs is told of them.

#pragma once

#include "hybrid/core/ScalarStore.h"
#include "hybrid/program/Program.h"

#include <vector>

namespace kst {

/// Of pointers that are variables with static storage or members; those with
/// most places first, then by name.
std::vector<ScalarStore> scalarStores(const Program &Whole);

} // namespace kst
