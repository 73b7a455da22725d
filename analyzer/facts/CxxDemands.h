// SPDX-License-Identifier: GPL-2.0-or-later
//
// How C++ itself uses the order of members: it makes them in that order, ends
// them against it, compares and binds them by it.

#pragma once

#include "analyzer/facts/DemandTable.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

namespace kst {

/// Members whose constructors or destructors run code stay in their order.
void addMakingOrder(DemandTable &Demands, const clang::CXXRecordDecl *Class);

/// An initialiser of Member that uses members before it.
void addUses(DemandTable &Demands, const clang::FieldDecl *Member,
             const clang::Expr *Init);

/// `operator<=>(...) = default` compares all members, the first first.
void addDefaultOrder(DemandTable &Demands, const clang::FunctionDecl *Operator);

/// `auto [a, b] = ...` of a class binds by position.
void addBindings(DemandTable &Demands, const clang::DecompositionDecl *Names);

/// Designators of C++20 come in the order of the members.
void addDesignators(DemandTable &Demands, const clang::InitListExpr *Written);

/// `T(a, b)` of an aggregate.
void addParenList(DemandTable &Demands, const clang::Expr *List,
                  unsigned Count);

/// bit_cast: the bytes of a record as something else.
void addBitCast(DemandTable &Demands, const clang::CastExpr *Cast);

} // namespace kst
