// SPDX-License-Identifier: GPL-2.0-or-later
//
// Flags of other compilers that decide where members lie and that clang does
// not have, and flags in files that were not read: with one of them clang's
// layout need not be the program's.

#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace kst {

/// Why the offsets are in doubt when Flag was left out, a sentence without its
/// end; "" if they are not. Flag is as AdjustedCommand::DroppedFlags spells it:
/// what differs only in the value ends with `=`.
std::string layoutDoubt(llvm::StringRef Flag);

} // namespace kst
