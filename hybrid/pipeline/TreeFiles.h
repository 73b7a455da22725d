// SPDX-License-Identifier: GPL-2.0-or-later
//
// The C files of a tree, one after another.

#ifndef KST_HYBRID_PIPELINE_TREEFILES_H
#define KST_HYBRID_PIPELINE_TREEFILES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace kst {

/// Calls Take with the path and the text of each .c, .h, .inc and .S file below
/// a directory, in no order, until it returns false; then that is the answer.
/// What cannot be read, and what symbolic links lead to, is left out.
bool forEachSource(
    const std::string &Directory,
    llvm::function_ref<bool(llvm::StringRef Path, llvm::StringRef Text)> Take);

} // namespace kst

#endif
