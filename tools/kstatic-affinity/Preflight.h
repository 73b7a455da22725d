// SPDX-License-Identifier: GPL-2.0-or-later
//
// Everything on the command line that the sources can prove wrong, said before
// the units are analysed: outputs, structs, fields, hot functions.

#ifndef KST_TOOLS_PREFLIGHT_H
#define KST_TOOLS_PREFLIGHT_H

#include "analyzer/compile/CompileDatabase.h"
#include "tools/kstatic-affinity/ExitCode.h"
#include "tools/kstatic-affinity/Options.h"

#include <variant>
#include <vector>

namespace kst {

/// A command line that may be followed.
struct Preflight {
  /// As given, with every struct by the spelling that the analysis knows, each
  /// once, and without those that are unknown while others are known.
  Options Given;
  std::vector<UnitList> Lists; ///< one for each -p, at least one
  /// ExitUsage when something was left out; the reason is printed.
  ExitCode Code = ExitDone;
};

/// Selects the units and checks. On failure the exit code of the process; every
/// mistake that was found is printed.
std::variant<Preflight, ExitCode> checkAgainstSources(const Options &Given);

} // namespace kst

#endif
