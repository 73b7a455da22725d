// SPDX-License-Identifier: GPL-2.0-or-later
//
// All declarations of a unit: in C those at file scope, in C++ also those in
// namespaces, classes, functions and the instances of templates.

#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace kst {

/// Calls Visit for each declaration of the unit in the order of the source; the
/// instances of a template follow where it stands. Nothing that depends on a
/// template's parameters.
void forEachDecl(clang::ASTContext &Context,
                 llvm::function_ref<void(const clang::Decl *)> Visit);

/// Calls Visit for each definition of a record, but for anonymous structs whose
/// members are fields of the record around them.
void forEachRecord(clang::ASTContext &Context,
                   llvm::function_ref<void(const clang::RecordDecl *)> Visit);

/// The bodies of the unit's own functions (isOwnFunction), found by clang's
/// visitor: a second way to them beside forEachDecl().
llvm::SmallVector<const clang::FunctionDecl *, 32>
ownBodies(clang::ASTContext &Context);

/// Bodies in the unit's own text that are no functions of C or C++, as those of
/// blocks and of Objective-C methods: nothing reads them.
llvm::SmallVector<clang::SourceLocation, 4>
foreignBodies(clang::ASTContext &Context);

} // namespace kst
