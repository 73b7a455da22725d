// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the JSON report says about measurements.

#pragma once

#include "hybrid/fieldorder/Report.h"

#include <nlohmann/json.hpp>

namespace kst {

/// Adds "origin" to a field, a set, an edge, where there is a profile.
void addOrigin(nlohmann::ordered_json &Field, const FieldOrigin &Of);
void addOrigin(nlohmann::ordered_json &Set, const SetOrigin &Of);

/// Top-level "users": who uses an object.
nlohmann::ordered_json usersJson(const Ownership &Of);
/// coverage.profiles, one object each.
nlohmann::ordered_json profilesJson(const Coverage &C);
/// Top-level "under_profiles".
nlohmann::ordered_json underProfilesJson(const Report &R);

} // namespace kst
