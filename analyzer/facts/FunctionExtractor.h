// SPDX-License-Identifier: GPL-2.0-or-later
//
// The facts of one function body: its blocks, accesses, calls and stores.

#pragma once

#include "analyzer/facts/FactsBuilder.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/SmallVector.h"

namespace kst {

/// Appends the facts of Function, which must be a definition with a body, to
/// Unit.Facts. Returns the functions that the body mentions, in the order of
/// mention, for the caller to follow. A body for which clang builds no control
/// flow graph is recorded as a drop and contributes nothing else.
llvm::SmallVector<const clang::FunctionDecl *, 16>
extractFunction(FactsBuilder &Unit, const clang::FunctionDecl *Function);

} // namespace kst
