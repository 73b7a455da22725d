// SPDX-License-Identifier: GPL-2.0-or-later
//
// A survey for people and for programs.

#pragma once

#include "hybrid/report/Document.h"
#include "hybrid/survey/Survey.h"

#include <string>

namespace kst {

/// `Links`: names of structs lead to SurveyRow::Report.
Document describe(const Survey &All, bool Links = false);

/// kst-survey/1: schema/kst-survey-1.schema.json.
std::string toJson(const Survey &All);

} // namespace kst
