// SPDX-License-Identifier: GPL-2.0-or-later
//
// The functions that a thread runs once and stays in: their outermost loops are
// its rounds. Between two rounds, other threads run rounds of theirs.

#pragma once

#include "hybrid/program/CodeFrequencies.h"

#include <vector>

namespace kst {

/// One entry for each function: whether it is given to a call that starts a
/// thread (vocabulary: ThreadStart), as it is, through parameters, or in a
/// field; or is called by such functions alone, each time outside of loops.
std::vector<bool> functionsOfRounds(const Program &Whole,
                                    const CodeFrequencies &Code);

/// What such functions do outside of their loops, they do once in the life of a
/// thread: next to a round it hardly counts. Calls of other such functions
/// stay as they are.
void weighRounds(const Program &Whole, CodeFrequencies &Code);

} // namespace kst
