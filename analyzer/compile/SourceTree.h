// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the sources are, where the build put its output, and one spelling for
// every file of the two: kbuild names the same file as `../mm/x.c`, `./mm/x.c`
// or by its absolute name, depending on how make was called.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace kst {

/// Both roots are absolute, without symbolic links, and equal for an in-tree
/// build and for databases that are not a kernel's.
struct SourceTree {
  std::string SourceRoot;
  std::string ObjectRoot;

  /// Name relative to the source root, else to the object root (generated
  /// files), else unchanged. File is absolute and normal.
  std::string relative(llvm::StringRef File) const;
};

/// Absolute name of File as seen from Directory, `.` and `..` resolved by
/// text. Touches nothing.
std::string absolutePath(llvm::StringRef Directory, llvm::StringRef File);

/// absolutePath(), with symbolic links resolved where the file exists.
std::string realPath(llvm::StringRef Directory, llvm::StringRef File);

/// True when File is Dir or lies below it. Both absolute and normal.
bool isBelow(llvm::StringRef File, llvm::StringRef Dir);

/// Nearest directory at or above Dir that looks like a kernel source tree
/// (Kbuild, Kconfig and include/linux), or "".
std::string findSourceRoot(llvm::StringRef Dir);

/// True when Dir is the output directory of a configured kernel.
bool isObjectRoot(llvm::StringRef Dir);

/// The roots that belong to build directory BuildDir, for a person standing
/// in Cwd: the `source` link that kbuild leaves in an O= directory, else the
/// kernel tree around it, else the one around Source (a file that is compiled;
/// "" if none is known), else the one around Cwd, else BuildDir itself. So Cwd
/// matters only where nothing else tells.
SourceTree discoverTree(llvm::StringRef BuildDir, llvm::StringRef Source,
                        llvm::StringRef Cwd);

/// Why Path cannot be read as a source file ("no such file", "is a
/// directory", "is not a regular file"), or "". Never opens it.
std::string whyUnreadable(const std::string &Path);

} // namespace kst
