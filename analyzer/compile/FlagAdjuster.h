// SPDX-License-Identifier: GPL-2.0-or-later
//
// Turns the command a kernel was built with into arguments that make clang
// read the same program and do nothing else. A build's flags also write files
// (-Wp,-MMD, -save-temps), load code (-fplugin, -Xclang -load) and speak
// gcc's dialect; so only what is known to shape the meaning of the source is
// let through.

#pragma once

#include "analyzer/compile/CompileCommand.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kst {

/// Arguments for the clang driver.
struct AdjustedCommand {
  std::string Directory; ///< as in the command: where relative names start
  /// Without argv[0], the source last: `clang -fsyntax-only ARGS...` parses it.
  std::vector<std::string> Args;
  /// Spellings that were left out and that clang does not know (gcc's), or
  /// that read or run something foreign (plug-ins, response files). Sorted,
  /// each once. Flags that only concern output, warnings, debug information
  /// or code generation are left out without being listed.
  std::vector<std::string> DroppedFlags;
};

/// Pure: looks at nothing but its argument and clang's option table. Forwards
/// macros, include paths, language, layout and target flags in their order;
/// adds `-w`, and `--target=` where the command is a cross gcc's or names a
/// kernel architecture only by its include paths.
AdjustedCommand adjust(const CompileCommand &Command);

/// True if clang's option table has the word; what a target makes of it is
/// another matter.
bool isClangFlag(llvm::StringRef Word);

} // namespace kst
