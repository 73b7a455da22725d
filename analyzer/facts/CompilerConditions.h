// SPDX-License-Identifier: GPL-2.0-or-later
//
// Text whose meaning depends on the compiler that reads it:
// `#if __GNUC__ >= 9`, `#ifdef __clang__`.

#pragma once

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace kst {

/// From an #if to its #endif, in bytes, of the conditions
/// of a file that ask whether gcc or clang reads it. What both answer alike
/// (`#ifdef __GNUC__`, `__GNUC__ >= 4`) is none of them.
std::vector<std::pair<unsigned, unsigned>>
compilerConditions(llvm::StringRef Text);

/// Looks at each file once.
class CompilerConditions {
public:
  /// Whether the text from Begin to End of one file meets such a condition.
  bool meet(const clang::SourceManager &Sources, clang::SourceRange Range);

private:
  llvm::DenseMap<clang::FileID, std::vector<std::pair<unsigned, unsigned>>>
      Known;
};

} // namespace kst
