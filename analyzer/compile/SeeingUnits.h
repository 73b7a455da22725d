// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which units of a whole build see a file: those that are it or include it,
// directly or not. By dependency lists where the build left them; else by the
// #include lines of all files, under any condition, so rather one unit too many
// than one too few.

#pragma once

#include "analyzer/compile/CompileDatabase.h"

#include <string>
#include <vector>

namespace kst {

struct SeeingUnits {
  /// CompileUnit::Relative, sorted; a file as often as it has commands that see
  /// it, and commands that could not be read, which may.
  std::vector<std::string> Units;
  std::string Unknown; ///< why nobody knows; then Units is empty
  /// Some of them by #include lines: it may be that not all see it.
  bool AtMost = false;
};

/// `Build` names one build directory; its Paths and StructNames do not matter.
/// `File` is absolute. Assembly does not count. Includes by a macro's name are
/// not followed. About a second for a configured kernel.
SeeingUnits unitsThatSee(const DatabaseOptions &Build, const std::string &File);

} // namespace kst
