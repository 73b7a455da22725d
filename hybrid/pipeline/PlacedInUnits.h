// SPDX-License-Identifier: GPL-2.0-or-later
//
// The places of edits in all units of a session, each unit parsed once more.

#ifndef KST_HYBRID_PIPELINE_PLACEDINUNITS_H
#define KST_HYBRID_PIPELINE_PLACEDINUNITS_H

#include "analyzer/rewrite/PlacedEdits.h"
#include "analyzer/run/RunUnits.h"
#include "hybrid/pipeline/FactsSession.h"

namespace kst {

/// One for each edit, in their order: the text that any unit gives, and the
/// first reason that one refuses it for. Units that cannot say anything of an
/// edit are not asked. An error if a unit does not compile or the run was
/// interrupted. Parses in `Run.Workers` child processes.
llvm::Expected<std::vector<PlacedEdit>>
placeInUnits(const FactsSession &In, const RunOptions &Run,
             const std::vector<LineEdit> &Edits);

} // namespace kst

#endif
