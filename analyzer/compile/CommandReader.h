// SPDX-License-Identifier: GPL-2.0-or-later
//
// From a command as a build wrote it to arguments for clang. What is on this
// machine (response files, the compiler, precompiled headers) is looked at
// here; the rest is the pure FlagAdjuster's.

#pragma once

#include "analyzer/compile/CompilerIdentity.h"
#include "analyzer/compile/FlagAdjuster.h"

#include "llvm/Support/Error.h"

#include <set>
#include <string>

namespace kst {

/// Reads the commands of one build directory; runs none of them.
class CommandReader {
public:
  /// Target: triple for compilers of which nothing else tells it; may be "".
  explicit CommandReader(std::string Target) : Target(std::move(Target)) {}

  /// An error says why the unit cannot be parsed as the build compiles it: a
  /// compiler of another language, one whose target nobody can tell, flags in a
  /// file that is not there.
  llvm::Expected<AdjustedCommand> read(const CompileCommand &Command);

  /// What was assumed on the way, a sentence each.
  const std::set<std::string> &notes() const { return Notes; }

private:
  std::string Target;
  CompilerIdentities Identities;
  std::set<std::string> Notes;
};

} // namespace kst
