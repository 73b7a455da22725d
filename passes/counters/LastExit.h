// SPDX-License-Identifier: GPL-2.0-or-later
//
// Loops whose rounds end with "A or else that was the last": two exits of one,
// so that only one of them asks for the variable's next value.

#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ValueHandle.h"

namespace kst::counters {

/// Where a round ends with "A or else the next value is the last", the code
/// generator makes two branches of it and computes the next value between them.
/// Asked for at the exit, it would come before both, and be compared once more.
/// So the two branches are made here: the exit by A asks for the phi. What was
/// there stays, unused, since counters may be about to stand before it.
/// Phi: the variable, in L's header; Next: its next value. The next value then,
/// which is another one if something changed. Dominators and Loops follow.
llvm::Instruction *
splitLastExit(llvm::Loop &L, llvm::PHINode &Phi, llvm::Instruction &Next,
              llvm::DominatorTree &Dominators, llvm::LoopInfo &Loops,
              llvm::SmallVectorImpl<llvm::WeakTrackingVH> &Unused);

} // namespace kst::counters
