// SPDX-License-Identifier: GPL-2.0-or-later
//
// Files with other contents than on disk: another revision of a source tree,
// seen without a copy of it. What does not differ is read from the disk, so
// that both revisions share compile commands, generated headers and the cache.

#pragma once

#include "hybrid/core/Hash.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>

namespace kst {

/// Not changed once it is in use; then safe to share.
class FileOverlay {
public:
  struct File {
    std::optional<std::string> Text; ///< none: there is no such file
    Hash128 Hash;                    ///< of Text
  };

  /// `Path` is absolute and normal.
  void add(llvm::StringRef Path, std::optional<std::string> Text);

  /// The file that this absolute path leads to, also through ".." and symbolic
  /// links; null: as on disk.
  const File *find(llvm::StringRef Path) const;
  /// Whether the path is a directory that some file of the overlay is in.
  bool isDirectory(llvm::StringRef Path) const {
    return Directories.contains(Path);
  }
  bool empty() const { return Files.empty(); }
  const llvm::StringMap<File> &files() const { return Files; }

private:
  llvm::StringMap<File> Files;
  llvm::StringSet<> Names; ///< last parts, to answer most questions at once
  llvm::StringSet<> Directories;
};

} // namespace kst
