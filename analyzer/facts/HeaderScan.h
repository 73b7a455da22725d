// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a header's text says about itself before any preprocessing: where its
// inline function bodies lie and which names they and the macros mention.

#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace kst {

/// A braced body at file scope. Offsets count from the text's start.
struct ScannedBody {
  uint32_t Start = 0; ///< of the declaration
  uint32_t Begin = 0; ///< the opening brace
  uint32_t End = 0;   ///< behind the closing brace
  /// The declaration stays valid, and everything else keeps its meaning, when
  /// a semicolon stands for the body: it is an inline function without
  /// directives and without declarations that outlive it. Only __COUNTER__
  /// would go on differently (see StableCounter).
  bool Removable = false;
  /// Every name in front of a parenthesis: one of them is the function's.
  std::vector<llvm::StringRef> Names;
  std::vector<llvm::StringRef> Uses; ///< sorted, each once
};

struct ScannedMacro {
  llvm::StringRef Name;
  std::vector<llvm::StringRef> Uses; ///< sorted, each once
  /// What it pastes something to: PREFIX in `PREFIX##x`.
  std::vector<llvm::StringRef> Prefixes;
};

struct ScannedInclude {
  llvm::StringRef Name;
  bool Quoted = false;
};

/// A macro call at file scope. It may define functions, with names made of the
/// first argument.
struct ScannedCall {
  llvm::StringRef Macro;
  llvm::StringRef FirstName;
  std::vector<llvm::StringRef> Uses; ///< sorted, each once
};

/// Refers to the text it was made from.
struct HeaderScan {
  std::vector<ScannedBody> Bodies;
  std::vector<ScannedMacro> Macros;
  std::vector<ScannedInclude> Includes; ///< under any condition
  std::vector<ScannedCall> Calls;
};

/// Pure. Text ends with a null byte behind its last character.
HeaderScan scanHeader(llvm::StringRef Text);

/// All identifiers of a text, sorted, each once. Null-terminated likewise.
std::vector<llvm::StringRef> identifiersIn(llvm::StringRef Text);

} // namespace kst
