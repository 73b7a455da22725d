// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the kernel's conventions say about how often a function is entered
// from outside of the analysed code.

#pragma once

#include "hybrid/program/Frequencies.h"
#include "hybrid/program/Rounds.h"

#include <vector>

namespace kst {

/// One number for each function, >= 0. docs/design/source.md, "The program",
/// gives each rule and its reason.
std::vector<double> entryFrequencies(const Program &Whole,
                                     const ThreadRounds &Rounds,
                                     const HotFunctions &Hot);

} // namespace kst
