// SPDX-License-Identifier: GPL-2.0-or-later
//
// What kbuild would compile of a configured kernel: its Makefiles followed
// from the top, as scripts/Makefile.build does, without running anything.

#pragma once

#include "analyzer/compile/KbuildMakefile.h"
#include "analyzer/compile/KernelConfig.h"

#include <string>
#include <vector>

namespace kst {

class KbuildTree {
public:
  /// Reads the top Makefile and the one of Arch, the name below arch/. Flags
  /// are those that the whole kernel is compiled with, in make's words: the
  /// first KBUILD_CFLAGS. Tree and Config must outlive this.
  KbuildTree(const SourceTree &Tree, const KernelConfig &Config,
             llvm::StringRef Arch, std::string Flags);
  KbuildTree(const KbuildTree &) = delete;

  /// Objects at or below Relative (a directory, "" for all), sorted, each
  /// once. Objects that a Makefile elsewhere takes from there count if no
  /// Makefile on the way has any.
  std::vector<KbuildObject> objects(llvm::StringRef Relative);

  /// Flags of vmlinux only, and of modules only.
  std::vector<std::string> kernelFlags() {
    return words("KBUILD_CFLAGS_KERNEL");
  }
  std::vector<std::string> moduleFlags() {
    return words("KBUILD_CFLAGS_MODULE");
  }

private:
  std::vector<std::string> words(llvm::StringRef Name);
  void readTop(llvm::StringRef Arch);
  std::string fileOf(llvm::StringRef Directory) const;
  std::optional<std::string> textOf(llvm::StringRef File) const;
  std::optional<std::string> answer(llvm::StringRef Name,
                                    llvm::ArrayRef<std::string> Args);

  const SourceTree &Tree;
  std::string Flags;
  MakeHost Host;
  Makefile Top;
};

/// The N of arch/N/include among the include paths of a command, or "".
std::string archOfIncludes(const std::vector<std::string> &Args);

} // namespace kst
