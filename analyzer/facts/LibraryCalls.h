// SPDX-License-Identifier: GPL-2.0-or-later
//
// What calls of builtin functions do to the memory that their arguments point
// to: the C library's, whose bodies no program has, and the compiler's own.

#pragma once

#include "hybrid/facts/Facts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallVector.h"

namespace kst {

struct ArgumentAccess {
  unsigned Argument = 0;
  AccessForm Kind = AccessForm::Read;
  uint32_t Qualifiers = 0; ///< AccessQualifier bits
};

/// Call calls a builtin function by name. Empty for those that touch no memory.
llvm::SmallVector<ArgumentAccess, 4>
builtinAccesses(const clang::CallExpr &Call, const clang::ASTContext &Context);

/// Whether a builtin function makes or frees objects: then it is a call, whose
/// result and argument matter, rather than accesses.
bool makesOrFrees(const clang::FunctionDecl &Callee);

/// Whether a function with the attribute `format(printf)` gets the argument as
/// one of those that its format describes: it reads what they point to.
bool isPrinted(const clang::FunctionDecl &Callee, unsigned Argument);

/// What an atomic builtin does to its object.
AccessForm atomicAccess(const clang::AtomicExpr &Atomic);

/// What it stores there, where that is an operand; null for all others.
const clang::Expr *atomicStored(const clang::AtomicExpr &Atomic);
/// The same for the `__sync_` builtins.
const clang::Expr *syncStored(const clang::CallExpr &Call);

} // namespace kst
