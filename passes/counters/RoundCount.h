// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counters that are stepped once in each round of a loop, told where the loop
// is left from a variable that the loop has anyway: an index, a pointer, a
// number of rounds to go. A round then costs nothing.
//
// In the round that is left, b rounds are behind, and the variable's header phi
// is start + b * stride in arithmetic modulo 2 to its width; its next value is
// one stride more. b is the difference to start, divided by the stride, as long
// as b * stride does not reach 2 to the width.

#pragma once

#include "passes/counters/Promotion.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace kst::counters {

/// One loop, the variable that tells its rounds, and the counters told by it.
class RoundCount {
public:
  /// None if no variable of the loop is known to tell its rounds, or if it is
  /// left or repeated in a way that does not let code be put there.
  static std::optional<RoundCount> find(llvm::Loop &L,
                                        llvm::ScalarEvolution &Evolution);

  /// Is what stands in this block of the loop run exactly once in each round
  /// that is followed by another, and in a round that is left by an exit either
  /// always or never?
  bool covers(const llvm::BasicBlock *Step,
              const llvm::DominatorTree &Dominators) const;

  /// Counter: index of promoteCounters()' list; it stands in Step, which is
  /// covered.
  void add(size_t Counter, const llvm::BasicBlock *Step) {
    Counters.push_back({Counter, Step});
  }

  /// The additions of all counters; nothing if there are none. The loop gets a
  /// preheader, and exit blocks for each group of exits that have the same
  /// amounts. Unused: instructions without use, to be removed once nothing is
  /// to stand before them any more.
  void finish(llvm::DominatorTree &Dominators, llvm::LoopInfo &Loops,
              std::vector<Addition> &Additions,
              llvm::SmallVectorImpl<llvm::WeakTrackingVH> &Unused);

private:
  llvm::Loop *L = nullptr;
  llvm::PHINode *Phi = nullptr;
  llvm::Instruction *Next = nullptr; ///< the next round's value
  int64_t Stride = 0;
  bool NextFits = false; ///< (b + 1) * stride is also less than 2 to the width
  llvm::SmallVector<std::pair<size_t, const llvm::BasicBlock *>> Counters;

  llvm::Value *amount(llvm::IRBuilderBase &B, llvm::Value *Start,
                      llvm::Value *Last, bool ByNext, bool Done) const;
};

} // namespace kst::counters
