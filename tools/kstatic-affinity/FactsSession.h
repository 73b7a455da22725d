// SPDX-License-Identifier: GPL-2.0-or-later
//
// From the command line to the facts of the selected units.

#ifndef KST_TOOLS_FACTSSESSION_H
#define KST_TOOLS_FACTSSESSION_H

#include "analyzer/compile/CompileDatabase.h"
#include "analyzer/run/RunUnits.h"
#include "hybrid/model/Evidence.h"
#include "hybrid/model/Facts.h"
#include "tools/kstatic-affinity/Options.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace kst {

struct FactsSession {
  std::vector<TuFacts> Units;    ///< of the units that gave facts
  std::vector<RunUnit> Commands; ///< beside Units: how each was parsed
  std::string SourceRoot;        ///< absolute
  Coverage Covered;              ///< unit counts, failures, dropped flags
  RunStatistics Statistics;
};

/// Which units the command line selects.
DatabaseOptions selectedUnits(const Options &Given);

/// Selects units, extracts or recalls their facts. Fails when the selection
/// is empty or a build directory is unusable; a failing unit is not a failure.
llvm::Expected<FactsSession> collectFacts(const Options &Given);

/// The extractor for units of a source tree.
Extractor makeExtractor(const std::string &SourceRoot, bool Plain);

} // namespace kst

#endif
