// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables of functions in initialised variables: which functions may be behind
// a member such as `->enqueue_task` or `->read_iter`.

#pragma once

#include "analyzer/facts/FactsBuilder.h"

#include "llvm/ADT/SmallVector.h"

namespace kst {

/// Adds a TableFact for each function in Variable's initialiser (Record is
/// None where it stands outside of any record), and returns these functions.
llvm::SmallVector<const clang::FunctionDecl *, 8>
collectTables(FactsBuilder &Unit, const clang::VarDecl *Variable);

} // namespace kst
