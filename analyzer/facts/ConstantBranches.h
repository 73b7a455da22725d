// SPDX-License-Identifier: GPL-2.0-or-later
//
// Branches of `if` and `switch` that a constant leaves out.

#pragma once

#include "analyzer/facts/OffsetSum.h"

#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kst {

/// Called in source order; Closed: no run of the program gets there.
using BranchVisitor =
    llvm::function_ref<void(const clang::Stmt *Branch, bool Closed)>;

/// The two branches, as far as they are written.
void forEachBranch(const clang::IfStmt *If, const OffsetReader &Offsets,
                   BranchVisitor Visit);
/// The statements of the body.
void forEachBranch(const clang::SwitchStmt *Switch, const OffsetReader &Offsets,
                   BranchVisitor Visit);

} // namespace kst
