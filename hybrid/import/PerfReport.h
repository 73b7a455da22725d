// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rows of `perf report -n --stdio`: samples of functions, and of places in
// structs where the report is sorted by types.

#pragma once

#include "hybrid/import/PerfCounts.h"

#include <string_view>
#include <vector>

namespace kst {

/// False if the line is no such row. Words: room for its words.
bool takePerfReportRow(std::string_view Line, PerfCounts &To,
                       std::vector<std::string_view> &Words);

} // namespace kst
