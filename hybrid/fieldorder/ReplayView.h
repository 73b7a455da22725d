// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a replay says of an order, for all forms of the report.

#ifndef KST_HYBRID_FIELDORDER_REPLAYVIEW_H
#define KST_HYBRID_FIELDORDER_REPLAYVIEW_H

#include "hybrid/fieldorder/Report.h"

#include "nlohmann/json_fwd.hpp"

namespace kst {

/// What the model of visits promises for the proposed order, and what the
/// replay gives.
std::string replayWords(const Report &R);

/// `replay` of schema/kst-report-1.schema.json.
nlohmann::ordered_json replayJson(const Report &R);

} // namespace kst

#endif
