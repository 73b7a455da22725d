// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which function and line of the source each piece of a program's code is, by
// its debug information, all of it at once.

#ifndef KST_PASSES_READERS_FUNCTIONCODE_H
#define KST_PASSES_READERS_FUNCTIONCODE_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kst {

class DebugInfo;

/// As it is declared; Line is that of its name, 0 for assembly.
struct CodeFunction {
  std::string Name, File;
  uint32_t Line = 0;
};

/// Code of a function: out of line, or inlined once.
struct CodeCopy {
  uint32_t Function = 0; ///< into FunctionCode::Functions
  uint64_t Entry = 0;    ///< its first instruction to run
  /// Whether it begins where the function does. Not the rest of one that the
  /// compiler split (`.part.0`), which another copy calls, nor what is inlined
  /// right into a copy of the same function.
  bool Whole = true;
};

/// Instructions of a copy, those of code that is inlined into it left out, that
/// are of a line of the function's own file.
struct CodeStretch {
  uint64_t Begin = 0, End = 0;
  uint32_t Copy = 0; ///< into FunctionCode::Copies
  uint32_t Line = 0;
};

struct FunctionCode {
  std::vector<CodeFunction> Functions; ///< each once
  std::vector<CodeCopy> Copies;
  std::vector<CodeStretch> Stretches; ///< by unit; in it, by address
};

/// What functionCode() asks of the rest of the file.
struct CodeQuestion {
  std::string Top; ///< is taken away from the front of names of files
  std::function<bool(uint64_t)> IsCode;
  /// The symbol of that address, "" if there is none.
  std::function<std::string(uint64_t)> NameAt;
};

/// Every function of the debug information that has code in the program. Debug
/// then holds all of its entries.
FunctionCode functionCode(const DebugInfo &Debug, const CodeQuestion &Asked);

} // namespace kst

#endif
