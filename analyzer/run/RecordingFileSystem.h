// SPDX-License-Identifier: GPL-2.0-or-later
//
// The file system that clang sees while it parses one unit: the real one, with
// a memory of every question, so that the cache can tell exactly when the
// answers have changed.

#pragma once

#include "analyzer/run/Dependency.h"
#include "analyzer/run/FileOverlay.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <string>
#include <vector>

namespace kst {

/// Only regular files can be opened: a FIFO or a device is an error at once,
/// never a wait or a read without end. Files are read whole, not mapped, and
/// hashed as read. Relative paths are resolved against a directory of this
/// object's own; the process's does not matter. Not thread-safe: one parse.
class RecordingFileSystem
    : public llvm::RTTIExtends<RecordingFileSystem, llvm::vfs::FileSystem> {
public:
  static const char ID;

  /// Directory is absolute; it need not exist. `Over`, if given, hides files of
  /// the disk and must outlive this object.
  explicit RecordingFileSystem(llvm::StringRef Directory,
                               const FileOverlay *Over = nullptr)
      : Directory(Directory), Over(Over) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &Path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &Path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &Dir,
                                          std::error_code &EC) override;
  llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override {
    return Directory;
  }
  std::error_code setCurrentWorkingDirectory(const llvm::Twine &Path) override;
  std::error_code getRealPath(const llvm::Twine &Path,
                              llvm::SmallVectorImpl<char> &Output) override;

  /// All questions so far and their answers, sorted by path and kind.
  std::vector<Dependency> dependencies() const;

  /// False when dependencies() do not tell the whole truth: something changed
  /// between two looks, or is there and cannot be read.
  bool exact() const { return Exact; }

private:
  class OpenFile;
  class OverlaidFile;
  struct Answer {
    DependencyKind Kind = DependencyKind::Missing;
    uint64_t SizeBytes = 0;
    Hash128 Hash;
  };

  /// The form under which a path is asked for and remembered.
  llvm::SmallString<256> absolute(const llvm::Twine &Path) const;
  void record(llvm::StringRef Absolute, const Answer &Seen);
  void record(llvm::StringMap<Hash128> &Where, llvm::StringRef Absolute,
              const Hash128 &Seen);

  /// What the overlay has at this path; null: as on disk.
  const FileOverlay::File *overlaid(llvm::StringRef Absolute) const {
    return Over ? Over->find(Absolute) : nullptr;
  }

  std::string Directory;
  const FileOverlay *Over;
  llvm::StringMap<Answer> Answers;
  llvm::StringMap<Hash128> Listings, Links;
  bool Exact = true;
};

} // namespace kst
