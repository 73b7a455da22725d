// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which files of a tree a patch is about: how many leading directories its
// names have that the tree has not. patch(1) is told by -p; here the tree says
// it.

#pragma once

#include "analyzer/change/FilePatch.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace kst {

/// The names of a part in the tree; "": there is no such file.
struct NamedPart {
  const FilePatch *Part = nullptr;
  std::string Old, New;
  bool operator==(const NamedPart &) const = default;
};

/// A reading of all names of a patch.
struct PatchReading {
  unsigned Level = 0; ///< leading directories taken off, as patch -pN
  std::vector<NamedPart> Files;
  std::string Missing; ///< the first file that the tree should have; or ""
};

/// Readings under which the tree has all files that are changed, likeliest
/// first; if there is none, the one that lacks the fewest. Those that take off
/// more than one directory count only where no other does. `IsFile` and
/// `IsDirectory` are asked for names relative to the tree.
std::vector<PatchReading>
readingsOf(llvm::ArrayRef<FilePatch> Parts,
           llvm::function_ref<bool(llvm::StringRef)> IsFile,
           llvm::function_ref<bool(llvm::StringRef)> IsDirectory);

} // namespace kst
