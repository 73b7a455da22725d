// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions that are handed on as arguments until somebody stores them:
// `timer_setup(&t, fn, 0)` puts fn into timer_list.function.

#pragma once

#include "hybrid/program/Program.h"

#include <vector>

namespace kst {

/// A function that may lie in a field because a caller passed it there.
struct StoredCallback {
  RecordId Record;
  uint32_t Field;
  FunctionId Function;
  auto operator<=>(const StoredCallback &) const = default;
};

/// All of a program, sorted, each once. Context-insensitive: what any caller
/// passes for a parameter may be what the parameter holds.
std::vector<StoredCallback> storedCallbacks(const Program &Whole);

} // namespace kst
