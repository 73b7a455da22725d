// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counters in tight loops of programs: counted in a register, added to the
// counter where the loop is left.

#pragma once

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

#include <vector>

namespace kst::counters {

/// What is left to do for one counter at one exit of its loop.
struct Addition {
  size_t Counter; ///< index of the list that was given
  llvm::Instruction *Before;
  llvm::Value *Amount; ///< i64
};

/// Counts those of Before that are worth it without a step in memory in each
/// round, and empties their places (null). Only loops that are sure to be left
/// by one of their exits as far as anybody can tell: no calls, nothing volatile
/// or atomic. Where a variable of the loop tells the count (RoundCount.h), by
/// that: it costs a round nothing, whatever the loop's size. Otherwise in a
/// register: only small loops, where a register more is no matter, and not
/// those that wait for memory in each round anyway: lists, chains of a hash
/// table; these are often short, too. The CFG of F may get preheaders and exit
/// blocks; Dominators and Loops follow. Evolution is asked for before anything
/// changes, if at all. Unused: instructions that lost their use, to be removed
/// once nothing is to stand before them any more.
std::vector<Addition>
promoteCounters(llvm::Function &F, std::vector<llvm::Instruction *> &Before,
                llvm::DominatorTree &Dominators, llvm::LoopInfo &Loops,
                const llvm::BlockFrequencyInfo &Frequencies,
                llvm::function_ref<llvm::ScalarEvolution &()> Evolution,
                llvm::SmallVectorImpl<llvm::WeakTrackingVH> &Unused);

} // namespace kst::counters
