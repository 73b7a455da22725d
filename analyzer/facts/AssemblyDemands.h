// SPDX-License-Identifier: GPL-2.0-or-later
//
// What inline assembly demands of the order of fields by its text.

#pragma once

#include "analyzer/facts/DemandTable.h"
#include "analyzer/facts/OffsetSum.h"

namespace kst {

/// `asm("mov 8(%1), %0" ... "r"(p))`, `[%1, #8]`: the members from the start to
/// the one at a number that the text adds to a pointer to a record.
void addAssembly(DemandTable &Demands, const OffsetReader &Offsets,
                 const clang::GCCAsmStmt *Asm);

} // namespace kst
