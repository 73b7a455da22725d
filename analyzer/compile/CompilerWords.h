// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which word of a command is the compiler, and what its name says. Build
// systems put variables, caches, distributors, wrappers and shells in front of
// it; what it compiles for is often in its name only.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kst {

/// Compilers that take the same flags and lay records out alike.
enum class CompilerFamily {
  Unknown, ///< the name says nothing
  Gnu,     ///< gcc, and those that behave like it
  Clang,
  Microsoft, ///< cl, clang-cl
  Zig,       ///< `zig cc`: clang with triples of its own
  NotC       ///< compiles no C or C++, or nothing at all
};

/// What the name of a program says.
struct CompilerName {
  CompilerFamily Family = CompilerFamily::Unknown;
  /// What stands before the compiler's own name: `aarch64-linux-gnu` in
  /// aarch64-linux-gnu-gcc-12; "" where it is that of this machine.
  std::string Prefix;
  /// The machine that it compiles for, where LLVM knows it; else "".
  std::string Triple;
  bool Cxx = false; ///< g++ and its like: a `.c` is C++ to it
};

/// Word may be a path, also one of Windows, and end in a version.
CompilerName parseCompilerName(llvm::StringRef Word);

/// A command without what stands before the compiler.
struct Compiler {
  std::string Word; ///< as the command names it; "" if there is none
  CompilerName Name;
  std::vector<std::string> Args; ///< the words behind it
};

/// The compiler of a command: behind assignments of variables, launchers of any
/// depth, `sh -c` and `cmd /c`. Where no word is the name of a compiler, the
/// first that is no launcher, no variable and no option; none where the command
/// begins with an option. Pure.
Compiler findCompiler(llvm::ArrayRef<std::string> Words);

/// True if the word is no option and ends as sources of C and C++ do.
bool isSourceWord(llvm::StringRef Word);

/// True for programs that only run a compiler: ccache, env, libtool.
bool isLauncher(llvm::StringRef Word);

} // namespace kst
