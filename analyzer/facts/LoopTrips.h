// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often a loop statement runs its body, read off its text.

#pragma once

#include "analyzer/facts/BranchHeuristics.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

namespace kst {

/// The condition of a for, while or do statement; null for `for (;;)` and for
/// any other statement.
const clang::Expr *loopCondition(const clang::Stmt *Loop);

/// Expected runs of the body for each time the loop is entered, 0 or more:
/// the constant of `for (i = 0; i < 4; i++)`, else what FlowOptions says for
/// loops over CPUs (a `for_each_*cpu*` macro), walks up a hierarchy
/// (`p = p->parent`, a `*parent*()` function) and all others.
double expectedTrips(const clang::Stmt *Loop, const clang::ASTContext &Context,
                     const FlowOptions &Options);

/// The condition asks whether an optimistic attempt failed: a function named
/// `*retry*` or `*cmpxchg*` is called in it, as by read_seqretry() and
/// try_cmpxchg().
bool isRetryCondition(const clang::Expr *Condition);

} // namespace kst
