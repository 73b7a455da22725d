// SPDX-License-Identifier: GPL-2.0-or-later
//
// With which probability the ways on from a block lead through certain others.

#pragma once

#include "hybrid/facts/Facts.h"

#include <vector>

namespace kst {

/// For each block of a function, 0..1: 1 for a block in Aims, else the sum over
/// its edges of probability * value of the block that the edge leads to, which
/// is 0 for a block in Ends. A loop that is never left leads nowhere. Solved
/// exactly, so loops in loops do not matter.
std::vector<double> reachProbability(const TuFacts &Facts,
                                     const FunctionFact &Function,
                                     const std::vector<bool> &Aims,
                                     const std::vector<bool> &Ends);

} // namespace kst
