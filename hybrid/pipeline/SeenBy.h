// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether all units that see a definition were looked at: what a patch has to
// say, and a request to write to know.

#ifndef KST_HYBRID_PIPELINE_SEENBY_H
#define KST_HYBRID_PIPELINE_SEENBY_H

#include "hybrid/core/Onlookers.h"
#include "hybrid/pipeline/Configs.h"

#include <vector>

namespace kst {

/// One for each configuration that has the struct. Reads the whole build
/// directory, a second or two for a kernel: only for those who ask.
std::vector<Onlookers> seenBy(const AnalyzeRequest &Asked, const Configs &All,
                              const StructInConfigs &Struct);

} // namespace kst

#endif
