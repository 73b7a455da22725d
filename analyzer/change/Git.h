// SPDX-License-Identifier: GPL-2.0-or-later
//
// git, run for its answers.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace kst {

/// A directory that goes with its object.
class ScratchDirectory {
public:
  static llvm::Expected<ScratchDirectory> create();
  ScratchDirectory(ScratchDirectory &&Other) noexcept
      : Path(std::exchange(Other.Path, "")) {}
  ScratchDirectory &operator=(ScratchDirectory &&) = delete;
  ~ScratchDirectory();
  const std::string &path() const { return Path; }

private:
  explicit ScratchDirectory(std::string Path) : Path(std::move(Path)) {}
  std::string Path;
};

/// What `git -C Directory ARGUMENTS` prints, given this input. An error has
/// what it says on stderr. Never asks, pages, or looks for a repository above
/// `Ceiling` if that is not empty.
llvm::Expected<std::string> git(const std::string &Directory,
                                llvm::ArrayRef<std::string> Arguments,
                                llvm::StringRef Input = "",
                                const std::string &Ceiling = "");

} // namespace kst
