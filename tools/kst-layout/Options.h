// SPDX-License-Identifier: GPL-2.0-or-later
//
// The command line of kst-layout, parsed and checked.

#ifndef KST_TOOLS_KSTLAYOUT_OPTIONS_H
#define KST_TOOLS_KSTLAYOUT_OPTIONS_H

#include "tools/kst-layout/Solve.h"

#include <optional>
#include <string>
#include <vector>

namespace kst {

struct SolverOptions : SolveOptions {
  std::vector<std::string> Files; ///< "-": standard input
};

/// On a mistake, prints to stderr what to do and returns nothing.
std::optional<SolverOptions> parseSolverOptions(int Argc, char **Argv);

} // namespace kst

#endif
