// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a change of the source does to layouts.

#ifndef KST_HYBRID_PIPELINE_REVIEWCHANGE_H
#define KST_HYBRID_PIPELINE_REVIEWCHANGE_H

#include "hybrid/pipeline/Request.h"
#include "hybrid/review/ReviewStruct.h"

namespace kst {

/// Structs: only these if there are any; nothing else may be asked about them.
/// One that neither base nor head has is a usageError of the user.
/// Units.Paths: what to look at; empty: the units that see a changed header,
/// and those in the directories of changed sources.
struct ReviewRequest : AnalyzeRequest {
  std::string Change; ///< as readChange() takes it
  ReviewOptions Review;
  std::string Suppressions; ///< a file; "": none
};

struct ReviewAnswer {
  ReviewReport Report;
  /// ExitPartial: not all structs asked for are known, or could be compared.
  ExitCode Status = ExitDone;
};

/// Units that see nothing of the change, and facts that a cache has, are not
/// parsed; of the base, units are parsed only for their declarations, and those
/// whose code changed.
llvm::Expected<ReviewAnswer> reviewChange(const ReviewRequest &Asked);

} // namespace kst

#endif
