// SPDX-License-Identifier: GPL-2.0-or-later
//
// How a kernel build compiles all of its code, learnt from one command that it
// ran: a unit that it has not compiled yet gets the command that it would get.

#pragma once

#include "analyzer/compile/CompileCommand.h"
#include "analyzer/compile/KbuildMakefile.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace kst {

struct KbuildModel {
  /// The compiler, include paths of the whole kernel, headers that are always
  /// included, KBUILD_CPPFLAGS.
  std::vector<std::string> Head;
  /// KBUILD_CFLAGS and KBUILD_CFLAGS_KERNEL, without what belongs to the one
  /// unit.
  std::vector<std::string> Flags;
  std::string Arch;      ///< the N of arch/N
  bool OutOfTree = true; ///< objects are not beside their sources
};

/// Reads a command of kernel code (not of a module) whose directory and object
/// add no flags of their own; nothing if it is not one of kbuild's. Directory:
/// of its Makefile.
std::optional<KbuildModel> learnModel(const CompileCommand &Command,
                                      llvm::StringRef Directory,
                                      const SourceTree &Tree);

/// The flags as one text for make and shell.
std::string quoted(llvm::ArrayRef<std::string> Words);

/// What kbuild calls a name in a macro: `-` and `,` are `_`.
std::string kbuildName(llvm::StringRef Name);

/// The command for an object whose Flags begin as Model.Flags do. Other flags:
/// those of vmlinux alone, which a module does not have, and of modules.
CompileCommand commandFor(const KbuildModel &Model, const KbuildObject &Object,
                          const std::string &File, const SourceTree &Tree,
                          llvm::ArrayRef<std::string> KernelOnly,
                          llvm::ArrayRef<std::string> ModuleOnly);

} // namespace kst
