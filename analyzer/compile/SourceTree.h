// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the sources are, where the build put its output, and one spelling for
// every file of the two: kbuild names the same file as `../mm/x.c`, `./mm/x.c`
// or by its absolute name, CMake by its absolute name, through any link. How
// the roots are found: ProjectRoot.h.

#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kst {

/// Both roots are absolute, without symbolic links, and equal for an in-tree
/// build.
struct SourceTree {
  std::string SourceRoot;
  std::string ObjectRoot;
  bool Kernel = false; ///< a name may be relative to either root
  /// Directories below which the build makes files; physical, sorted.
  std::vector<std::string> BuildDirs = {};

  /// Name relative to the source root, for a kernel else to the object root
  /// (generated files), else unchanged. File is absolute, normal and physical.
  std::string relative(llvm::StringRef File) const;

  /// True when the build made the file, as far as its place tells.
  bool isGenerated(llvm::StringRef File) const;
};

/// Absolute name of File as seen from Directory, `.` and `..` resolved by
/// text. Touches nothing.
std::string absolutePath(llvm::StringRef Directory, llvm::StringRef File);

/// absolutePath(), with symbolic links resolved where the file exists.
std::string realPath(llvm::StringRef Directory, llvm::StringRef File);

/// realPath() of many files in few directories. Not thread-safe.
class PhysicalNames {
public:
  /// File is absolute.
  std::string operator()(llvm::StringRef File);

private:
  llvm::StringMap<std::string> Directories;
};

/// True when File is Dir or lies below it. Both absolute and normal.
bool isBelow(llvm::StringRef File, llvm::StringRef Dir);

/// Nearest directory at or above Dir that looks like a kernel source tree
/// (Kbuild, Kconfig and include/linux), or "".
std::string findSourceRoot(llvm::StringRef Dir);

/// True when Dir is the output directory of a configured kernel.
bool isObjectRoot(llvm::StringRef Dir);

/// Why Path cannot be read as a source file ("no such file", "is a
/// directory", "is not a regular file"), or "". Never opens it.
std::string whyUnreadable(const std::string &Path);

} // namespace kst
