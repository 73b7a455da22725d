// SPDX-License-Identifier: GPL-2.0-or-later
//
// The report for programs: JSON as schema/kst-report-1.schema.json describes
// it. CI jobs and scripts depend on these names, so they only ever grow.

#pragma once

#include "hybrid/fieldorder/Report.h"

#include <string>
#include <vector>

namespace kst {

/// The report as one JSON object with schema "kst-report/1", newline at the
/// end. Numbers are rounded to ReportDigits significant digits; bytes that are
/// not UTF-8 become U+FFFD; equal reports give equal bytes. Unless Full, sets
/// and pairs of less than a thousandth are left out, and only their sum is
/// told.
std::string toJson(const Report &R, bool Full = true);

/// The content of a JSON file for a run over several structs: exactly one
/// report is written as above; any other number as
/// {"schema": "kst-reports/1", "reports": [...]}, in the given order.
std::string toJson(const std::vector<Report> &Reports, bool Full = true);

} // namespace kst
