// SPDX-License-Identifier: GPL-2.0-or-later
//
// A survey for people and for programs.

#pragma once

#include "hybrid/report/Document.h"
#include "hybrid/survey/Survey.h"

#include <string>

namespace kst {

Document describe(const Survey &All);

/// kst-survey/1: schema/kst-survey-1.schema.json.
std::string toJson(const Survey &All);

} // namespace kst
