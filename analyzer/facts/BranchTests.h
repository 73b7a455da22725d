// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a branch asks of what its function was given.

#pragma once

#include "analyzer/facts/ValueBuilder.h"

#include "clang/Analysis/CFG.h"

#include <optional>

namespace kst {

/// The test at the end of a block, if it compares an integer that a parameter
/// is or leads to, or its remainder, with a constant.
std::optional<TestFact> branchTest(const clang::CFGBlock &Node,
                                   ValueBuilder &Values,
                                   const clang::ASTContext &Context);

} // namespace kst
