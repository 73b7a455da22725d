// SPDX-License-Identifier: GPL-2.0-or-later
//
// Turns the command a kernel was built with into arguments that make clang
// read the same program and do nothing else. A build's flags also write files
// (-Wp,-MMD, -save-temps), load code (-fplugin, -Xclang -load) and speak
// gcc's dialect; so only what is known to shape the meaning of the source is
// let through.

#pragma once

#include "analyzer/compile/CompileCommand.h"
#include "analyzer/compile/CompilerWords.h"

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
  std::string Target;        ///< triple that Args name; "": this machine's
  std::string OtherCompiler; ///< gcc, as the command names it; "": clang
  /// Files that the command compiles, as it names them; Args have its own.
  std::vector<std::string> Inputs;
};

/// What is known of the compiler beyond its words.
struct CompilerFacts {
  CompilerFamily Family = CompilerFamily::Unknown;
  std::string Triple; ///< that it compiles for; "": not known
  std::string
      FallbackTriple; ///< where nothing else says it; "": this machine's
  std::vector<std::string> Headers; ///< of its C library
  bool Cxx = false;                 ///< CompilerName::Cxx
};

/// Pure: looks at nothing but its arguments and clang's option table. Args are
/// the words behind the compiler. Forwards macros, include paths, language,
/// layout and target flags in their order, also those of clang-cl and behind
/// -Xclang; adds `-w`, `--target=` where the command does not name it but the
/// compiler does, or a kernel architecture by its include paths, and what the
/// compiler does without being asked and clang does not.
AdjustedCommand adjust(const CompileCommand &Command,
                       llvm::ArrayRef<std::string> Args,
                       const CompilerFacts &Known);

/// The same by the words of the command alone.
AdjustedCommand adjust(const CompileCommand &Command);

/// True if clang's option table has the word; what a target makes of it is
/// another matter.
bool isClangFlag(llvm::StringRef Word);

} // namespace kst
