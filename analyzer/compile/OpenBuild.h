// SPDX-License-Identifier: GPL-2.0-or-later
//
// What kind of directory -p names: one with a database of commands, or the
// output directory of a kernel, and which project it builds.

#pragma once

#include "analyzer/compile/BuildTree.h"
#include "analyzer/compile/CompileDatabase.h"
#include "analyzer/compile/KernelConfig.h"
#include "analyzer/compile/SourceTree.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace kst {

struct OpenBuild {
  SourceTree Tree;
  KernelConfig Config;                 ///< without values: no kernel's
  std::optional<BuildListing> Listing; ///< of a compile_commands.json

  /// What a person types to have it make Target.
  std::string make(const std::string &Target) const;
  /// A kernel that was built as a whole, not some of its directories.
  bool isLinked() const;
  /// A configured kernel, of which more may be asked than was built.
  bool isKernel() const;
  /// A header that `make prepare` generates and that is not there, or "".
  std::string unprepared() const;
};

/// Dir as the user names it, from the absolute directory Cwd; a database is
/// read whole. Fails with a sentence that says what to do.
llvm::Expected<OpenBuild> openBuild(const DatabaseOptions &Options,
                                    const std::string &Cwd,
                                    const std::string &Dir);

} // namespace kst
