// SPDX-License-Identifier: GPL-2.0-or-later
//
// What types and casts say of where a pointer leads.

#pragma once

#include "clang/AST/Expr.h"

namespace kst {

/// The record that a pointer leads to, complete or not; null for others.
const clang::RecordDecl *pointee(clang::QualType Type);

bool isComplete(const clang::RecordDecl *Record);

/// The complete record that a pointer to pointers leads to; null for others.
const clang::RecordDecl *outerPointee(clang::QualType Type);

/// Whether a value of the type may be a pointer to anything: `void *`, bytes,
/// a record that is not defined here, arrays of and pointers to those.
bool forgetsType(clang::QualType Type, unsigned Depth = 0);

/// A number as wide as a pointer.
bool isPointerNumber(const clang::ASTContext &Context, clang::QualType Type);

/// Whether a number was a pointer just before; tag bits aside.
bool wasPointer(const clang::Expr *E);

/// The prototype of a function or of what a pointer to one leads to; or null.
const clang::FunctionProtoType *pointedFunction(clang::QualType Type);

/// A scalar, no byte, that a pointer leads to; null for others.
clang::QualType pointedScalar(clang::QualType Pointer);

/// The function that an expression names; null for a pointer to one.
const clang::FunctionDecl *namedFunction(const clang::Expr *E);

/// The member whose address an expression is, `&p->a`; null for others.
const clang::FieldDecl *addressedMember(const clang::Expr *E);

/// The member that holds the function pointer of a call; null for others.
const clang::FieldDecl *calledMember(const clang::CallExpr *Call);

} // namespace kst
