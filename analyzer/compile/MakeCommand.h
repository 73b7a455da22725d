// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a person types to have kbuild make something in a tree.

#pragma once

#include "analyzer/compile/KernelConfig.h"
#include "analyzer/compile/SourceTree.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace kst {

/// `make O=/obj LLVM=1 kernel/fork.o`, for the compiler and the architecture
/// that the tree is configured for; to be typed in the source root.
std::string makeCommand(const SourceTree &Tree, const KernelConfig &Config,
                        llvm::StringRef Target);

} // namespace kst
