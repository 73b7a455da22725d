// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where a field that does not exist yet should go.

#ifndef KST_HYBRID_PIPELINE_PLACE_H
#define KST_HYBRID_PIPELINE_PLACE_H

#include "hybrid/fieldorder/PlaceReport.h"
#include "hybrid/pipeline/Request.h"

namespace kst {

/// Every place for the field, best first.
llvm::Expected<PlaceReport> place(const PlaceRequest &Asked);

} // namespace kst

#endif
