// SPDX-License-Identifier: GPL-2.0-or-later
//
// One compile command as the build wrote it down, whatever it was written
// down in: compile_commands.json, a kbuild .cmd file or the template.

#pragma once

#include <string>
#include <vector>

namespace kst {

/// A command that is read and never run. Args are the words as a shell would
/// split them, with nothing expanded; Args[0] is the compiler's name.
struct CompileCommand {
  std::string Directory; ///< absolute; relative names in Args start here
  std::string File;      ///< absolute name of the source
  std::string Object;    ///< absolute name of the object, or ""
  std::vector<std::string> Args;
  bool operator==(const CompileCommand &) const = default;
};

} // namespace kst
