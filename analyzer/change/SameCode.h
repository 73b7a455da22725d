// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether two texts are one to the compiler: comments and blanks aside.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace kst {

/// Whether a compiler of C or C++ may read a file of this name: by clang's own
/// table of extensions, those that people give to parts of a text, and none.
bool mayBeCode(llvm::StringRef Name);

/// True if the texts have the same tokens, and preprocessor lines the same
/// ends. What __LINE__ stands for does not count.
bool isSameCode(llvm::StringRef A, llvm::StringRef B);

/// The same without what stands between the braces of struct and union
/// definitions: true if the texts differ in members at most.
bool differsInMembersOnly(llvm::StringRef A, llvm::StringRef B);

} // namespace kst
