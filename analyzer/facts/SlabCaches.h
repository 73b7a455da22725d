// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where code makes slab caches, and what that says of where objects begin.

#pragma once

#include "analyzer/facts/FactsBuilder.h"

#include "clang/AST/Expr.h"

namespace kst {

/// Adds a slab cache to Unit.Facts if Call makes one whose objects are of the
/// size of a record and whose flags and alignment are constants.
void addSlabCache(FactsBuilder &Unit, const clang::CallExpr *Call);

} // namespace kst
