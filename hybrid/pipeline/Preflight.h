// SPDX-License-Identifier: GPL-2.0-or-later
//
// Everything in a request that the sources can prove wrong, said before the
// units are analysed: structs, fields, headers, hot functions.

#ifndef KST_HYBRID_PIPELINE_PREFLIGHT_H
#define KST_HYBRID_PIPELINE_PREFLIGHT_H

#include "hybrid/pipeline/Request.h"

namespace kst {

/// A request that may be followed.
struct Preflight {
  /// As given, with every struct by the spelling that the analysis knows, each
  /// once, and without those that are unknown while others are known.
  AnalyzeRequest Asked;
  std::vector<UnitList> Lists; ///< one for each build directory, at least one
  /// ExitPartial when something was left out; the reason was said.
  ExitCode Status = ExitDone;
};

/// Selects the units and checks. `UsedWith`: names of fields, besides those in
/// the request. On failure every usageError that was found, joined.
llvm::Expected<Preflight>
checkAgainstSources(AnalyzeRequest Asked,
                    const std::vector<std::string> &UsedWith = {});

} // namespace kst

#endif
