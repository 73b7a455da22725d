// SPDX-License-Identifier: GPL-2.0-or-later
//
// From the command line to the facts of the selected units.

#ifndef KST_TOOLS_FACTSSESSION_H
#define KST_TOOLS_FACTSSESSION_H

#include "analyzer/compile/CompileDatabase.h"
#include "analyzer/run/RunUnits.h"
#include "hybrid/core/Evidence.h"
#include "hybrid/facts/Facts.h"
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

/// How units of a source tree are run: processes and cache.
RunOptions runOptions(const Options &Given, const std::string &SourceRoot);

/// Extracts or recalls the facts of selected units.
FactsSession collectFacts(const Options &Given, const UnitList &List);

/// The extractor for units of a source tree.
Extractor makeExtractor(const std::string &SourceRoot, bool Plain);

} // namespace kst

#endif
