// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions and their calls as the facts see them, whatever the language: the
// object of a C++ method is its first parameter and argument.

#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallVector.h"

namespace kst {

/// Whether a call passes an object that is no declared parameter.
bool takesThis(const clang::FunctionDecl *Function);

/// The number of a declared parameter among all, the object included.
unsigned paramNumber(const clang::ParmVarDecl *Param);
unsigned paramCount(const clang::FunctionDecl *Function);

/// The function that a call surely enters; null behind a pointer, and for a
/// virtual function that another class may replace.
const clang::FunctionDecl *enteredFunction(const clang::CallExpr *Call);

/// The arguments, the object included: `p` and `x` of both `p->f(x)` and
/// `(*p).f(x)`. The object is a pointer or an lvalue.
llvm::SmallVector<const clang::Expr *, 8>
argumentsOf(const clang::CallExpr *Call);

/// Whether a call copies or moves a record by copying its bytes.
bool copiesBytes(const clang::FunctionDecl *Function);

/// Whether a call makes a thread as C++ does, which runs and gets copies:
/// std::thread, std::jthread, std::async(), a container of threads.
bool makesThread(const clang::FunctionDecl *Function);

/// What a call of an object of the class enters; null if there are several.
const clang::CXXMethodDecl *callOperator(const clang::CXXRecordDecl *Class);

/// Through what C++ has around an expression and that does nothing itself:
/// cleanups, temporaries that are bound, defaults of arguments and members.
const clang::Expr *withoutWrapping(const clang::Expr *E);

} // namespace kst
