// SPDX-License-Identifier: GPL-2.0-or-later
//
// The functions of GNU make that are about words alone: same arguments, same
// text. See "Functions for Transforming Text" in make's manual.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace kst {

/// What blanks separate. References into Text.
std::vector<llvm::StringRef> makeWords(llvm::StringRef Text);

/// Does the word match a pattern, whose first `%` stands for any text?
bool matchesPattern(llvm::StringRef Word, llvm::StringRef Pattern);

/// $(patsubst PATTERN,REPLACEMENT,TEXT)
std::string patsubst(llvm::StringRef Pattern, llvm::StringRef Replacement,
                     llvm::StringRef Text);

/// Most arguments that the function takes, so that further commas belong to
/// the last; nothing when there is no such function here.
std::optional<unsigned> wordFunctionArity(llvm::StringRef Name);

/// The value of a function that wordFunctionArity() knows. Missing arguments
/// are empty.
std::string wordFunction(llvm::StringRef Name,
                         llvm::ArrayRef<std::string> Args);

} // namespace kst
