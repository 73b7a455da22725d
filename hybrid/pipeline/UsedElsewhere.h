// SPDX-License-Identifier: GPL-2.0-or-later
//
// What files of the project may use that no selected unit has.

#ifndef KST_HYBRID_PIPELINE_USEDELSEWHERE_H
#define KST_HYBRID_PIPELINE_USEDELSEWHERE_H

#include "hybrid/core/LineEdit.h"
#include "hybrid/pipeline/FactsSession.h"

#include <string>
#include <vector>

namespace kst {

/// Whether an edit may only be done with a look at all that use its object.
bool needsAllUnits(const LineEdit &Edit);

/// For each edit that needs all units a file that was not looked at and may use
/// what it changes, by its words: a variable that a header or the file
/// declares, a record of a header; "" for none. A file with a main() is of
/// another program.
std::vector<std::string> usedElsewhere(const FactsSession &In,
                                       const std::vector<LineEdit> &Edits);

} // namespace kst

#endif
