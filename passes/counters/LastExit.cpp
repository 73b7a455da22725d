// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/LastExit.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ProfDataUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

Instruction *
kst::counters::splitLastExit(Loop &L, PHINode &Phi, Instruction &Next,
                             DominatorTree &Dominators, LoopInfo &Loops,
                             SmallVectorImpl<WeakTrackingVH> &Unused) {
  BasicBlock *BB = Next.getParent();
  auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
  if (isa<PHINode>(&Next) || Loops.getLoopFor(BB) != &L || !Branch ||
      !Branch->isConditional() || !Branch->getCondition()->hasOneUse() ||
      !Next.hasNUses(2) || !is_contained(Phi.incoming_values(), &Next) ||
      Branch->hasMetadata(LLVMContext::MD_unpredictable))
    return &Next;
  const unsigned Stays = L.contains(Branch->getSuccessor(0)) ? 0 : 1;
  BasicBlock *Inside = Branch->getSuccessor(Stays);
  BasicBlock *Outside = Branch->getSuccessor(1 - Stays);
  Value *First = nullptr, *Second = nullptr;
  Instruction *Condition = nullptr;
  if (!L.contains(Inside) || L.contains(Outside) ||
      !match(Branch->getCondition(), m_Instruction(Condition)) ||
      !(Stays == 0
            ? match(Condition, m_LogicalAnd(m_Value(First), m_Value(Second)))
            : match(Condition, m_LogicalOr(m_Value(First), m_Value(Second)))))
    return &Next;
  auto *Last = dyn_cast<ICmpInst>(Second);
  if (!Last || Last->getParent() != BB || !Last->hasOneUse() ||
      !is_contained(Last->operands(), &Next) || First == Second)
    return &Next;

  BasicBlock *Behind = BasicBlock::Create(BB->getContext(), "", BB->getParent(),
                                          BB->getNextNode());
  IRBuilder<> B(Behind);
  B.SetCurrentDebugLocation(Branch->getDebugLoc());
  Instruction *NewNext = B.Insert(Next.clone());
  Instruction *NewLast = B.Insert(Last->clone());
  NewLast->replaceUsesOfWith(&Next, NewNext);
  auto *NewBranch = cast<BranchInst>(B.Insert(Branch->clone()));
  NewBranch->setCondition(NewLast);
  uint64_t Weights[2];
  if (extractBranchWeights(*Branch, Weights[0], Weights[1])) {
    // Half of the exits by each of the two.
    uint64_t Out = Weights[1 - Stays], In = Weights[Stays];
    while (Out + 2 * In > UINT32_MAX)
      Out /= 2, In /= 2;
    auto Set = [&](BranchInst &To, uint64_t In) {
      uint32_t Two[2];
      Two[Stays] = In;
      Two[1 - Stays] = Out;
      setBranchWeights(To, Two, false);
    };
    Set(*Branch, Out + 2 * In);
    Set(*NewBranch, 2 * In);
  }
  Branch->setMetadata(LLVMContext::MD_loop, nullptr);
  Branch->setCondition(First);
  Branch->setSuccessor(Stays, Behind);
  Inside->replacePhiUsesWith(BB, Behind);
  for (PHINode &P : Outside->phis())
    P.addIncoming(P.getIncomingValueForBlock(BB), Behind);
  Phi.replaceUsesOfWith(&Next, NewNext);
  Unused.push_back(Condition);
  L.addBasicBlockToLoop(Behind, Loops);
  Dominators.applyUpdates({{DominatorTree::Insert, BB, Behind},
                           {DominatorTree::Insert, Behind, Inside},
                           {DominatorTree::Insert, Behind, Outside},
                           {DominatorTree::Delete, BB, Inside}});
  return NewNext;
}
