// SPDX-License-Identifier: GPL-2.0-or-later
//
// kbuild writes beside every object how it was made: `.fair.o.cmd` for
// `fair.o`, a make fragment that scripts/basic/fixdep.c prints. That is the
// one record of compile commands that every built kernel tree has.

#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace kst {

/// One .cmd file of a compiled object. Names are as make saw them: relative
/// to the object root, or absolute. The references point into the text.
struct KbuildCmd {
  llvm::StringRef Object; ///< X of `savedcmd_X` (`cmd_X` before Linux 6.3)
  llvm::StringRef Source; ///< `source_X`, or else the first of `deps_X`
  std::string Command;    ///< a shell line, make's escapes undone
  std::vector<llvm::StringRef> Deps; ///< `deps_X`, without $(wildcard ...)
};

/// Reads the text of a .cmd file. Nothing when it does not record a
/// compilation (a link, a script, a file cut short). Text must outlive the
/// result.
std::optional<KbuildCmd> parseKbuildCmd(llvm::StringRef Text);

} // namespace kst
