// SPDX-License-Identifier: GPL-2.0-or-later
//
// What kernel-wide conventions say about functions and variables: attributes
// and section names. docs/design/vocabulary.md lists them.

#pragma once

#include "clang/AST/Decl.h"

#include <cstdint>

namespace kst {

/// FunctionFlags of a definition, without FnExported, which does not show in
/// its declaration.
uint32_t functionFlags(const clang::FunctionDecl *Function);

/// A variable by which EXPORT_SYMBOL and friends keep a function alive.
bool isExportAnchor(const clang::VarDecl *Variable);

/// Whether each CPU or each thread has a copy of it.
bool isPerCpu(const clang::VarDecl *Variable);

} // namespace kst
