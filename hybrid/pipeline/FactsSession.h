// SPDX-License-Identifier: GPL-2.0-or-later
//
// From selected units to their facts.

#ifndef KST_HYBRID_PIPELINE_FACTSSESSION_H
#define KST_HYBRID_PIPELINE_FACTSSESSION_H

#include "hybrid/core/Evidence.h"
#include "hybrid/facts/Facts.h"
#include "hybrid/pipeline/Request.h"

#include <vector>

namespace kst {

class IndexFacts;

struct FactsSession {
  /// Of the units that gave facts: one for each of Commands, or one that stands
  /// for all of them.
  std::vector<TuFacts> Units;
  std::vector<RunUnit> Commands; ///< how each unit was parsed
  std::string SourceRoot;        ///< absolute
  SourceTree Tree;
  std::vector<std::string> Selected; ///< UnitList::Selected
  Coverage Covered;                  ///< unit counts, failures, dropped flags
  RunStatistics Statistics;
};

/// Extracts or recalls the facts of selected units.
FactsSession collectFacts(const UnitsRequest &Asked, const UnitList &List);

/// The same with an index: what it has as it is now is taken from there, merged
/// into one of FactsSession::Units unless they are wanted apart.
FactsSession collectFacts(const UnitsRequest &Asked, const UnitList &List,
                          IndexFacts &From, bool Apart);

/// Each -p by itself: the build directories, or "" for none.
std::vector<std::string> buildsOf(const DatabaseOptions &Units);

/// What `Asked` selects of one of them.
DatabaseOptions unitsOf(const AnalyzeRequest &Asked, const std::string &Build);

/// How units of a source tree are run, with the key of the cache.
RunOptions runOptions(const UnitsRequest &Asked, const std::string &SourceRoot);

RunUnit runUnit(const CompileUnit &Unit);

/// The extractor for units of a source tree.
Extractor makeExtractor(const std::string &SourceRoot, bool Plain);

/// The same for declarations only, whose facts are cached apart.
Extractor makeDeclarationExtractor(const std::string &SourceRoot);
RunOptions declarationOptions(const UnitsRequest &Asked,
                              const std::string &SourceRoot);

} // namespace kst

#endif
