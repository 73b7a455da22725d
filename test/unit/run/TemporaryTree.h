// SPDX-License-Identifier: GPL-2.0-or-later
//
// A directory of a test's own, removed at its end, and a short way to put
// files into it.

#ifndef KST_TEST_UNIT_RUN_TEMPORARYTREE_H
#define KST_TEST_UNIT_RUN_TEMPORARYTREE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kst {

class TemporaryTree {
public:
  TemporaryTree() {
    llvm::SmallString<128> Path;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("kst-test", Path));
    Root = std::string(Path);
  }
  ~TemporaryTree() { llvm::sys::fs::remove_directories(Root); }

  std::string path(llvm::StringRef Name) const {
    return Root + "/" + Name.str();
  }

  /// Writes the file anew, with the directories above it.
  std::string write(llvm::StringRef Name, llvm::StringRef Text) const {
    std::string Path = path(Name);
    EXPECT_FALSE(
        llvm::sys::fs::create_directories(llvm::sys::path::parent_path(Path)));
    std::error_code EC;
    llvm::raw_fd_ostream Out(Path, EC);
    EXPECT_FALSE(EC) << EC.message();
    Out << Text;
    return Path;
  }

  /// Names of the files below Name, sorted.
  std::vector<std::string> list(llvm::StringRef Name) const {
    std::vector<std::string> Names;
    std::error_code EC;
    for (llvm::sys::fs::directory_iterator I(path(Name), EC), End;
         !EC && I != End; I.increment(EC))
      Names.push_back(llvm::sys::path::filename(I->path()).str());
    std::sort(Names.begin(), Names.end());
    return Names;
  }

  std::string Root;
};

} // namespace kst

#endif
