// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is said of an imported file: what was read of it, and what was left out.

#pragma once

#include "hybrid/import/AccessLog.h"
#include "hybrid/import/CounterJoin.h"
#include "hybrid/import/LineCoverage.h"
#include "hybrid/import/PerfText.h"
#include "passes/readers/SampleProfile.h"

#include <string>

namespace kst {

std::string inWords(const JoinNotes &Notes);
std::string inWords(const PerfNotes &Notes);
std::string inWords(const AccessLogNotes &Notes);
std::string inWords(const LineCoverageNotes &Notes);
std::string inWords(const SampleProfile &Read);

} // namespace kst
