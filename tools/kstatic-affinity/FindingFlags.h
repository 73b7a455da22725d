// SPDX-License-Identifier: GPL-2.0-or-later
//
// Options of commands with findings.

#ifndef KST_TOOLS_KSTATIC_AFFINITY_FINDINGFLAGS_H
#define KST_TOOLS_KSTATIC_AFFINITY_FINDINGFLAGS_H

#include "hybrid/findings/FailOn.h"
#include "tools/support/CommandLine.h"

#include <span>

namespace kst {

/// The options of one command; they live as long as it does.
struct FindingFlags {
  explicit FindingFlags(cl::SubCommand &Command)
      : Suppressions({Command, OfAnalysis, "suppressions", "FILE",
                      "Findings that are accepted"}),
        MinShare({Command, OfAnalysis, "min-share", "X",
                  "Say nothing of what is less of a struct's cost (default "
                  "0.01)"},
                 0.01),
        FailOnWords({Command, OfOutput, "fail-on", "WHAT[,WHAT]",
                     "Exit status 4 for findings of these kinds, or from a "
                     "grade on; cost+5% allows 5 percent"}),
        Sarif({Command, OfOutput, "sarif", "FILE",
               "Write the findings as SARIF"}) {
    FailOnWords.separated();
  }

  /// A usageError for a bad value, or a kind that is not one of `Kinds`.
  llvm::Error check(std::span<const FindingKind> Kinds) {
    if (!(MinShare > 0 && MinShare <= 1))
      return usageError("--min-share takes a number above 0, at most 1");
    auto Words = orMistake(FailOn::parse(FailOnWords.all(), Kinds));
    if (!Words)
      return Words.takeError();
    Fatal = std::move(*Words);
    return llvm::Error::success();
  }

  Flag<std::string> Suppressions;
  Flag<double> MinShare;
  ListFlag FailOnWords;
  Flag<std::string> Sarif;
  FailOn Fatal; ///< after check()
};

} // namespace kst

#endif
