// SPDX-License-Identifier: GPL-2.0-or-later
//
// The blocks of a function by the lines of their accesses and calls, for
// measurements that know lines and no accesses.

#pragma once

#include "hybrid/program/Program.h"

#include <map>
#include <utility>
#include <vector>

namespace kst {

/// How often lines ran, counted from the line of the function's name.
using LineRuns = std::map<int32_t, double>;

/// How often the blocks ran. A line runs as often as the hottest of its blocks,
/// so of a block's lines the one that ran least says most. Blocks without a
/// known line are left out; sorted by block.
std::vector<std::pair<uint32_t, double>>
blocksOfLines(const Program &Whole, FunctionId Id, const LineRuns &Ran);

} // namespace kst
