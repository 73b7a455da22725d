// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether two texts are one to the compiler: comments and blanks aside.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace kst {

/// True if the texts have the same tokens, and preprocessor lines the same
/// ends. What __LINE__ stands for does not count.
bool isSameCode(llvm::StringRef A, llvm::StringRef B);

/// The same without what stands between the braces of struct and union
/// definitions: true if the texts differ in members at most.
bool differsInMembersOnly(llvm::StringRef A, llvm::StringRef B);

} // namespace kst
