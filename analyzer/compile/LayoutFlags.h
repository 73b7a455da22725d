// SPDX-License-Identifier: GPL-2.0-or-later
//
// Flags of other compilers that decide where members lie and that clang does
// not have: with one of them clang's layout is not the program's.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace kst {

/// True if Flag, as AdjustedCommand::DroppedFlags spells it (what differs only
/// in the value ends with `=`), shapes the layout of records, so that dropping
/// it leaves offsets in doubt.
bool shapesLayout(llvm::StringRef Flag);

} // namespace kst
