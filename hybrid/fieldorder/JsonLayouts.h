// SPDX-License-Identifier: GPL-2.0-or-later
//
// The part of the JSON report that the layout stage fills: orders, their cost,
// configurations, frontier, stability, paths and rules.

#pragma once

#include "hybrid/fieldorder/Report.h"

#include <nlohmann/json.hpp>

#include <string>

namespace kst {

/// The name of field F as every part of the JSON report gives it; "" for a
/// number that is no field.
std::string jsonName(const RecordInfo &R, uint32_t F);

nlohmann::ordered_json costJson(const Cost &Price);

/// The members of the report with these names.
nlohmann::ordered_json layoutsJson(const Report &R);
nlohmann::ordered_json configsJson(const Report &R);
nlohmann::ordered_json frontierJson(const Report &R);
nlohmann::ordered_json stabilityJson(const Report &R);
nlohmann::ordered_json pathsJson(const Report &R);
nlohmann::ordered_json constraintsJson(const Report &R);

} // namespace kst
