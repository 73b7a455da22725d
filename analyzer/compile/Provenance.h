// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whose definition is it. What the system, another project or the build itself
// put there is shown and priced, but not for this project to change.

#pragma once

#include "analyzer/compile/SourceTree.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace kst {

/// Why a definition in File (as SourceTree::relative() names it) is not the
/// project's, a phrase; "" if it is. System: the compiler takes the file for a
/// system header. Selected: absolute, physical; a repository inside of the
/// project, as a submodule is, counts as the project's if one of them names it
/// or lies in it.
std::string whyForeign(const SourceTree &Tree,
                       llvm::ArrayRef<std::string> Selected,
                       llvm::StringRef File, bool System);

/// True when a comment at the top of the text says that a program wrote it and
/// people should not.
bool saysGenerated(llvm::StringRef Text);

} // namespace kst
