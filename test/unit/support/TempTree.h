// SPDX-License-Identifier: GPL-2.0-or-later
//
// A directory of files for one test, gone when the test ends.

#pragma once

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kst {

class TempTree {
public:
  TempTree() {
    llvm::SmallString<128> Made, Real;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("kst-test", Made));
    EXPECT_FALSE(llvm::sys::fs::real_path(Made, Real));
    Root = std::string(Real);
  }
  ~TempTree() { llvm::sys::fs::remove_directories(Root); }
  TempTree(const TempTree &) = delete;
  TempTree &operator=(const TempTree &) = delete;

  std::string path(const llvm::Twine &Name) const {
    return (Root + "/" + Name).str();
  }

  void dir(const llvm::Twine &Name) const {
    EXPECT_FALSE(llvm::sys::fs::create_directories(path(Name)));
  }

  /// Writes the file anew, with the directories above it; returns its path.
  std::string file(const llvm::Twine &Name, llvm::StringRef Text = "") const {
    std::string Path = path(Name);
    EXPECT_FALSE(
        llvm::sys::fs::create_directories(llvm::sys::path::parent_path(Path)));
    std::error_code Why;
    llvm::raw_fd_ostream Out(Path, Why);
    EXPECT_FALSE(Why) << Why.message();
    Out << Text;
    return Path;
  }

  void link(const std::string &Target, const std::string &Name) const {
    EXPECT_FALSE(llvm::sys::fs::create_link(path(Target), path(Name)));
  }

  /// All that is below Name, relative to it, sorted.
  std::vector<std::string> files(const llvm::Twine &Name = "") const {
    std::string Top = Name.isTriviallyEmpty() ? Root : path(Name);
    std::vector<std::string> Out;
    std::error_code Why;
    for (llvm::sys::fs::recursive_directory_iterator It(Top, Why), End;
         !Why && It != End; It.increment(Why))
      Out.push_back(It->path().substr(Top.size() + 1));
    std::sort(Out.begin(), Out.end());
    return Out;
  }

  std::string Root;
};

} // namespace kst
