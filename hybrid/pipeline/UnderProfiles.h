// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a proposed order is worth if one profile alone is believed.

#ifndef KST_HYBRID_PIPELINE_UNDERPROFILES_H
#define KST_HYBRID_PIPELINE_UNDERPROFILES_H

#include "hybrid/fieldorder/Report.h"
#include "hybrid/layout/LayoutProblem.h"
#include "hybrid/pipeline/Configs.h"

namespace kst {

/// One answer for each profile, where there are several and `Proposed` moves
/// fields; else none.
std::vector<ProfileAdvice> underProfiles(const Configs &All,
                                         const StructRequest &Struct,
                                         const LayoutProblem &Problem,
                                         const Report &Proposed);

} // namespace kst

#endif
