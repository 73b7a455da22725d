// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which units a review looks at, and which of them see the change.

#ifndef KST_HYBRID_PIPELINE_CHANGEDUNITS_H
#define KST_HYBRID_PIPELINE_CHANGEDUNITS_H

#include "hybrid/pipeline/ChangedCode.h"
#include "hybrid/pipeline/Request.h"

#include <set>
#include <string>
#include <vector>

namespace kst {

/// Of the units selected from one build directory.
struct ChangedUnits {
  /// CompileUnit::File of those that see a changed file: by the dependencies of
  /// the build, or else by their #include lines.
  std::set<std::string> Seeing;
  /// Of these, those in which more than members of structs differs.
  std::vector<RunUnit> Code;
};

/// Element by element about one build directory that has something to look at,
/// in the order of -p.
struct ReviewSelection {
  std::vector<std::string> Builds; ///< as -p names them; "" without
  std::vector<UnitList> Lists;
  std::vector<ChangedUnits> Changed;
  std::vector<std::string> Notes; ///< why a build directory has nothing
};

/// Selects what Asked.Units.Paths say; without, the units that see a changed
/// header, and those in the directories of changed sources.
llvm::Expected<ReviewSelection> selectForReview(const AnalyzeRequest &Asked,
                                                const ChangedCode &Change);

} // namespace kst

#endif
