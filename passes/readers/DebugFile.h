// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the debug information of an image is: distributions ship it in files of
// its own, found by build id or by the image's .gnu_debuglink.

#pragma once

#include "llvm/Object/ObjectFile.h"

#include <string>
#include <vector>

namespace kst {

/// The directories of KST_DEBUG_DIR, separated by colons; without that
/// /usr/lib/debug.
std::vector<std::string> debugDirectories();

/// Whether the object itself has DWARF, in whatever form.
bool hasDwarf(const llvm::object::ObjectFile &Object);

/// A debug file, or why there is none.
struct DebugFile {
  std::string Path; ///< "" if none is found
  llvm::object::OwningBinary<llvm::object::ObjectFile> File;
  std::string Missing; ///< in words, about Image; "" if one is found
};

/// The debug file of an image that has no DWARF itself. Build ids and checksums
/// must agree. `Path` of the image is where the search begins.
DebugFile findDebugFile(const llvm::object::ObjectFile &Image,
                        const std::string &Path,
                        const std::vector<std::string> &Directories);

} // namespace kst
