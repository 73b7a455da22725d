// SPDX-License-Identifier: GPL-2.0-or-later
//
// Parts of schema/kst-dprof-1.schema.json.

#pragma once

#include "hybrid/dprof/DprofReport.h"

#include <nlohmann/json_fwd.hpp>

namespace kst {

nlohmann::ordered_json countsJson(const DataProfile &P, const AccessCounts &Of);
/// `what_if`
nlohmann::ordered_json ordersJson(const DprofReport &R);

} // namespace kst
