// SPDX-License-Identifier: GPL-2.0-or-later
//
// Commands of one build to units that are ready to parse.

#pragma once

#include "analyzer/compile/CommandReader.h"
#include "analyzer/compile/OpenBuild.h"

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace kst {

/// Appends to Out, which outlives it as the others do. Number: of the build.
class UnitMaker {
public:
  UnitMaker(const DatabaseOptions &Options, const OpenBuild &Build,
            uint32_t Number, UnitList &Out)
      : Options(Options), Build(Build), Number(Number), Out(Out),
        Commands(Options.Target) {}

  /// A unit for each source that the command compiles, or why there is none.
  /// Commands that clang is to see alike make one.
  void add(BuildEntry &Entry);

  /// What was assumed of commands.
  const std::set<std::string> &notes() const { return Commands.notes(); }

private:
  std::vector<std::string> takeSources(BuildEntry &Entry,
                                       AdjustedCommand &Adjusted);
  std::string badForcedInclude(const AdjustedCommand &Command);
  std::string whyNot(BuildEntry &Entry, AdjustedCommand &Adjusted);

  const DatabaseOptions &Options;
  const OpenBuild &Build;
  uint32_t Number;
  UnitList &Out;
  CommandReader Commands;
  std::set<std::string> GoodIncludes;
  std::set<std::tuple<std::string, std::string, std::vector<std::string>>>
      Known;
};

} // namespace kst
