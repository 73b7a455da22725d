// SPDX-License-Identifier: GPL-2.0-or-later
//
// The blocks of a function by the lines of their accesses and calls, for
// measurements that know lines and no accesses.

#pragma once

#include "hybrid/program/Program.h"

#include <utility>
#include <vector>

namespace kst {

/// Lines behind one another that ran equally often, counted from the line of
/// the function's name.
struct LineRuns {
  int32_t Begin = 0;
  uint32_t Lines = 1;
  double Runs = 0;
  uint16_t Anchor = 0; ///< the text of line Begin, see LineAnchors.h; 0: none
};

/// How often the blocks ran. A line runs as often as the hottest of its blocks,
/// so of a block's lines the one that ran least says most. Left out: blocks
/// without a known line, and those that share all of theirs with blocks that
/// should run more often, as the arms of a macro do; sorted by block. Ran:
/// sorted by Begin, none overlap.
/// The zero of a line with calls of functions in headers alone does not count
/// if another line of the block is known.
std::vector<std::pair<uint32_t, double>>
blocksOfLines(const Program &Whole, FunctionId Id,
              const std::vector<LineRuns> &Ran);

/// Blocks of which each line has a count that may be another line's.
std::vector<bool> blocksWithoutOwnCode(const Program &Whole, FunctionId Id);

} // namespace kst
