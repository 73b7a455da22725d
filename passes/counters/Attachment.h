// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where a function of a program looks whether its thread's block of counters
// is known to the runtime (passes/abi/kst_abi.h). A step of a counter can look
// by itself: its flags tell. So the first step on each way through the
// function looks, and where that is too often, a look before the loop does.

#pragma once

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

#include <vector>

namespace kst::counters {

/// A counter is stepped before this instruction; several at one stand there in
/// the order of the list.
struct Step {
  llvm::Instruction *Before;
  /// By one, and not by an amount, which may be none and then tells nothing.
  bool One;
};

struct Attachment {
  std::vector<bool> Looks; ///< one for each step: it looks by itself
  std::vector<llvm::Instruction *> Checks; ///< look before these
};

/// Whenever a step that does not look runs, a check or a step by one that
/// looked ran before it in the same call of F.
Attachment planAttachment(llvm::Function &F, const std::vector<Step> &Steps,
                          const llvm::DominatorTree &Dominators,
                          const llvm::LoopInfo &Loops,
                          const llvm::BlockFrequencyInfo &Frequencies);

/// The block nearest to these places that is ahead of all of them, outside of
/// loops and no landing pad; the entry if there is none.
llvm::BasicBlock *blockAhead(const std::vector<llvm::Instruction *> &Places,
                             const llvm::DominatorTree &Dominators,
                             const llvm::LoopInfo &Loops);

} // namespace kst::counters
