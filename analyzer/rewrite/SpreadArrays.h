// SPDX-License-Identifier: GPL-2.0-or-later
//
// Arrays of numbers whose elements get lines of their own: larger by a factor,
// and every index times that.

#pragma once

#include "analyzer/rewrite/EditText.h"

namespace kst {

/// Places the edits that spread variables, members, and what a pointer leads
/// to. `Skipped`: words in code that this configuration leaves out; `InMacros`:
/// in arguments that a macro does not use once, as they are.
void spreadArrays(EditText &To, const std::set<std::string> &Skipped,
                  const std::set<std::string> &InMacros);

} // namespace kst
