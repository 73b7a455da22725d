// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counts in the place of estimates of what threads access.

#pragma once

#include "hybrid/sharing/ThreadWalk.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kst {

/// How often places of the source ran, by the file's name without its directory
/// and the line; reads and writes.
using CountedLines =
    std::map<std::pair<std::string, uint32_t>, std::pair<double, double>>;

/// Counts in the place of estimates where there are any, each thread of the
/// roles that run a line with an equal part; `ThreadsOf`: by role. All else
/// keeps its proportion to what was counted.
void useCounts(ThreadWalk &Walk, const CountedLines &Counts,
               const std::vector<uint32_t> &ThreadsOf);

} // namespace kst
