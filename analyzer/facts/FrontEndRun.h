// SPDX-License-Identifier: GPL-2.0-or-later
//
// One parse of one unit.

#pragma once

#include "clang/Frontend/FrontendAction.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <memory>
#include <string>

namespace kst {

/// Parses the unit that `Args` name (without the compiler's name), from
/// `Directory`, and lets the action have it. An error says the first error of
/// the source, with its place: that one tells what is wrong. Prints nothing.
llvm::Error runFrontEnd(llvm::ArrayRef<std::string> Args,
                        const std::string &Directory,
                        llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files,
                        std::unique_ptr<clang::FrontendAction> Action);

} // namespace kst
