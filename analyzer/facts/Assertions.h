// SPDX-License-Identifier: GPL-2.0-or-later
//
// Build-time assertions about offsets: BUILD_BUG_ON and static_assert. A new
// order must keep them true, or the kernel does not compile.

#pragma once

#include "analyzer/facts/DemandTable.h"

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

namespace kst {

/// Cheap: whether offsetof, or a pointer made a number, is a part.
bool mentionsOffset(const clang::Stmt *S);

/// `if (Condition) f();` where f has attribute `error`: returns the condition,
/// which must be false. Null for any other statement.
const clang::Expr *buildAssertion(const clang::IfStmt *If);

/// Adds what must stay for every comparison in Condition to keep its truth
/// value: none of a comparison that holds, or fails, in every order.
void addAssertion(DemandTable &Demands, const clang::Expr *Condition);

} // namespace kst
