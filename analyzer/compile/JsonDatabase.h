// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads compile_commands.json. Not clang's JSONCompilationDatabase, which gives
// up at the first bad entry and knows no "condition": here one bad entry does
// not take its siblings along.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kst {

/// One entry as written: nothing is made absolute yet. Words come from
/// "arguments", or from "command" split as a shell would: its simple command
/// that compiles.
struct JsonCommand {
  std::string Directory, File, Output;
  std::string RunsIn; ///< where a `cd` in "command" leads; relative names of
                      ///< Args start there. "": Directory
  std::vector<std::string> Args;
  std::string Condition; ///< "condition" of a template's entry
};

/// An entry that cannot be used. Name is its file where it has one, else
/// "entry N" counted from 1.
struct BrokenEntry {
  std::string Name;
  std::string Reason;
};

struct JsonDatabase {
  std::vector<JsonCommand> Commands; ///< in file order
  std::vector<BrokenEntry> Broken;   ///< in file order
};

/// Strings of a Text that is not UTF-8 have its bytes as they are. Fails when
/// Text is not JSON, is nested deeper than any database is (the
/// message says where), or is not an array.
llvm::Expected<JsonDatabase> parseJsonDatabase(llvm::StringRef Text);

} // namespace kst
