// SPDX-License-Identifier: GPL-2.0-or-later
//
// The variables with static storage that a unit defines.

#pragma once

#include "analyzer/facts/FactsBuilder.h"

#include "clang/AST/Decl.h"

namespace kst {

/// Adds the variable to Unit.Facts if this is its definition: the last one of a
/// tentative one (C11 6.9.2).
void addVariableFact(FactsBuilder &Unit, const clang::VarDecl *Var);

} // namespace kst
