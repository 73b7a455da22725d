// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which files are looked at, and by which rule: those that the command line
// names and those of a kernel build.

#pragma once

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kst {

struct Input {
  std::string Path;
  /// Why the file must not refer to counters at all; "": part of the kernel.
  std::string Rule;
};

/// A file that was named. What it is follows from its path (forbiddenFile()),
/// unless an archive of the kernel in its directory (built-in.a) has it as a
/// member: the vDSO's directory holds kernel code, too.
Input namedInput(llvm::StringRef Path);

/// All files of a build directory that matter, sorted by path: vmlinux.o, the
/// modules, and what forbiddenFile() names. Symbolic links are not followed.
/// An error if there is no vmlinux.o and no module, that is: nothing was built.
llvm::Expected<std::vector<Input>> inputsOfTree(llvm::StringRef BuildDirectory);

} // namespace kst
