// SPDX-License-Identifier: GPL-2.0-or-later
//
// From markers in optimised code to regions and the places of counters.

#pragma once

#include "passes/counters/Site.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/IR/Function.h"

namespace kst::counters {

/// What is to be counted in one function. Counters are numbered from 0 in the
/// order of Increments.
struct FunctionRegions {
  std::vector<Region> Regions;                 ///< Function is not filled in
  std::vector<llvm::Instruction *> Increments; ///< to stand before these
};

/// Takes the markers of the function out: all of them are gone afterwards.
/// Segments whose pointers matter are left to the caller. Between: counters may
/// also stand where nothing is to be counted, if that saves others.
FunctionRegions takeRegions(llvm::Function &F,
                            const std::vector<Segment> &Segments,
                            const llvm::BlockFrequencyInfo &Frequencies,
                            bool CallsReturn, bool Between);

} // namespace kst::counters
