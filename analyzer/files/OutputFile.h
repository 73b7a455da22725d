// SPDX-License-Identifier: GPL-2.0-or-later
//
// Files that are either complete or not there.

#pragma once

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kst {

/// Writes Text to File through a temporary file beside it and a rename, so
/// that a reader sees the old content or the new, never a part. "-" is stdout.
/// A device or FIFO is written to directly.
llvm::Error writeFile(const std::string &File, llvm::StringRef Text);

/// Success if writeFile() would have a place for File. Leaves no trace, and
/// does not open a device or FIFO.
llvm::Error checkWritable(const std::string &File);

/// Whether both names lead to one file: the same words, or a regular file that
/// is there, through links too. What is not there yet is one file if its
/// directory and last name are. "-" is no file.
bool isSameFile(const std::string &A, const std::string &B);

struct TextFile {
  std::string Path, Text;
};

/// writeFile() for all, or for none: when one cannot be written, those before
/// it get their old bytes back. SIGINT and SIGTERM wait until it is done.
llvm::Error writeAllOrNone(const std::vector<TextFile> &Files);

/// The same for outputs too large to be held: what is written shows up under
/// its name with keep(), and not at all without. "-", devices and FIFOs get it
/// at once.
class FileStream {
public:
  static llvm::Expected<std::unique_ptr<FileStream>>
  create(const std::string &File);
  ~FileStream();

  /// Appends; false once that has failed.
  bool write(llvm::StringRef Bytes);
  /// Ends the file and gives it its name. An error says what went wrong, also
  /// in writing.
  llvm::Error keep();

private:
  FileStream(std::string File) : File(std::move(File)) {}
  std::string File;
  llvm::SmallString<256> Real;
  std::optional<llvm::sys::fs::TempFile> Temp; ///< until kept
  std::optional<llvm::sys::fs::perms> Mode;    ///< of the file that was there
  std::unique_ptr<llvm::raw_fd_ostream> Owned;
  llvm::raw_fd_ostream *Out = nullptr;
};

} // namespace kst
