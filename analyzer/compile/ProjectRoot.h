// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which directory is the project that a build directory builds. Patches,
// selections, baselines and reports name files relative to it, whichever
// directory the database lies in and wherever the user stands.

#pragma once

#include "analyzer/compile/SourceTree.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kst {

/// What is known of a build directory. All names are absolute.
struct ProjectClues {
  std::string BuildDir; ///< physical
  std::string Cwd;      ///< physical; matters for kernels only
  std::string Root;     ///< --root, physical; "": find it
  /// Sources that the database names, and the working directories of its
  /// commands; in any order, links unresolved.
  std::vector<std::string> Sources, Directories;
};

/// The tree around the build directory: what Root says; else, of a kernel, the
/// `source` link that kbuild leaves in an O= directory, or the kernel tree
/// around the build directory, a source or Cwd; else the root of version
/// control around the sources (of several the one with most of them); else the
/// source directory that CMake or Meson noted; else the common directory of the
/// build directory and the sources, but for those that have none with it; else
/// that of the sources. Without sources it is the build directory. An error,
/// with what to do, where the common directory is `/`.
///
/// Environment: no root of version control is looked for at or above a
/// directory of GIT_CEILING_DIRECTORIES, as git has it.
llvm::Expected<SourceTree> findProject(const ProjectClues &Clues);

/// Nearest directory at or above Dir (physical) that is a root of version
/// control, also of a submodule or a linked work tree; "" if there is none.
std::string repositoryAround(llvm::StringRef Dir);

} // namespace kst
