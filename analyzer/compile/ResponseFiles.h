// SPDX-License-Identifier: GPL-2.0-or-later
//
// `@file` in a command stands for the words of that file. Build systems write
// them where a command line would be too long; the flags in there shape the
// program like any others.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kst {

/// Words with every `@file` replaced by what it holds, also where such a file
/// names others, and in `-Wp,@file`. Names are relative to Directory, as gcc
/// and clang take them. Windows: quoting as cl.exe has it. One that is not
/// there (Ninja deletes them) stays a word `@file`. Reads regular files only;
/// an error names the file that is none, too long, or included by itself.
llvm::Expected<std::vector<std::string>>
expandResponseFiles(llvm::ArrayRef<std::string> Words,
                    llvm::StringRef Directory, bool Windows);

} // namespace kst
