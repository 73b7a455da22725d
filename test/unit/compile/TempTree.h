// SPDX-License-Identifier: GPL-2.0-or-later
//
// A directory of files for one test, gone when the test ends.

#ifndef KST_TEST_UNIT_COMPILE_TEMPTREE_H
#define KST_TEST_UNIT_COMPILE_TEMPTREE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <set>
#include <string>

namespace kst {

class TempTree {
public:
  TempTree() {
    llvm::SmallString<128> Made, Real;
    llvm::sys::fs::createUniqueDirectory("kst-compile", Made);
    llvm::sys::fs::real_path(Made, Real);
    Root = std::string(Real);
  }
  ~TempTree() { llvm::sys::fs::remove_directories(Root); }
  TempTree(const TempTree &) = delete;
  TempTree &operator=(const TempTree &) = delete;

  std::string path(const std::string &Name) const { return Root + "/" + Name; }

  void dir(const std::string &Name) const {
    llvm::sys::fs::create_directories(path(Name));
  }

  void file(const std::string &Name, const std::string &Text = "") const {
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path(Name)));
    std::error_code Why;
    llvm::raw_fd_ostream Out(path(Name), Why);
    Out << Text;
  }

  void link(const std::string &Target, const std::string &Name) const {
    llvm::sys::fs::create_link(path(Target), path(Name));
  }

  /// Names of all files, relative to the root.
  std::set<std::string> files() const {
    std::set<std::string> Out;
    std::error_code Why;
    for (llvm::sys::fs::recursive_directory_iterator It(Root, Why), End;
         !Why && It != End; It.increment(Why))
      Out.insert(It->path().substr(Root.size() + 1));
    return Out;
  }

  std::string Root;
};

} // namespace kst

#endif
