// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Attachment.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace kst::counters;

/// Instructions of a check by itself, against one of a step that looks.
static constexpr uint64_t CheckCost = 2;

namespace {

class Plan {
public:
  Plan(Function &F, const std::vector<Step> &Steps,
       const BlockFrequencyInfo &Frequencies)
      : Steps(Steps), Frequencies(Frequencies), Order(&F) {
    DenseMap<const Instruction *, SmallVector<uint32_t, 1>> Before;
    for (uint32_t I = 0; I != Steps.size(); ++I)
      Before[Steps[I].Before].push_back(I);
    for (BasicBlock &BB : F)
      for (Instruction &I : BB)
        if (auto It = Before.find(&I); It != Before.end())
          At[&BB].append(It->second);
  }

  uint64_t frequency(const BasicBlock *BB) const {
    return Frequencies.getBlockFreq(BB).getFrequency();
  }

  /// The steps that may come first, with checks at the ends of these blocks.
  std::vector<uint32_t> first(const SetVector<BasicBlock *> &Checked) {
    // Attached at the end of a block, whichever way led there.
    DenseMap<const BasicBlock *, bool> Out;
    auto In = [&](const BasicBlock *BB) {
      return !pred_empty(BB) && all_of(predecessors(BB), [&](auto *Before) {
        auto It = Out.find(Before);
        return It == Out.end() || It->second;
      });
    };
    auto Attaches = [&](const BasicBlock *BB) {
      if (Checked.contains(const_cast<BasicBlock *>(BB)))
        return true;
      auto It = At.find(BB);
      return It != At.end() &&
             any_of(It->second, [&](uint32_t I) { return Steps[I].One; });
    };
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (BasicBlock *BB : Order) {
        bool Now = In(BB) || Attaches(BB);
        auto [It, New] = Out.try_emplace(BB, Now);
        Changed |= New || It->second != Now;
        It->second = Now;
      }
    }
    std::vector<uint32_t> Result;
    for (BasicBlock *BB : Order) {
      auto It = At.find(BB);
      if (It == At.end() || In(BB))
        continue;
      for (uint32_t I : It->second) {
        Result.push_back(I);
        if (Steps[I].One)
          break;
      }
    }
    return Result;
  }

  uint64_t cost(const std::vector<uint32_t> &Looking,
                const SetVector<BasicBlock *> &Checked) const {
    uint64_t Sum = 0;
    for (uint32_t I : Looking)
      Sum += frequency(Steps[I].Before->getParent());
    for (const BasicBlock *BB : Checked)
      Sum += CheckCost * frequency(BB);
    return Sum;
  }

private:
  const std::vector<Step> &Steps;
  const BlockFrequencyInfo &Frequencies;
  ReversePostOrderTraversal<Function *> Order;
  DenseMap<const BasicBlock *, SmallVector<uint32_t, 2>> At;
};

} // namespace

BasicBlock *kst::counters::blockAhead(const std::vector<Instruction *> &Places,
                                      const DominatorTree &Dominators,
                                      const LoopInfo &Loops) {
  // At -O0 code stays that no path leads to: it dominates nothing.
  BasicBlock *BB = nullptr;
  for (Instruction *I : Places)
    if (Dominators.isReachableFromEntry(I->getParent()))
      BB = BB ? Dominators.findNearestCommonDominator(BB, I->getParent())
              : I->getParent();
  if (!BB)
    return &Places.front()->getFunction()->getEntryBlock();
  while ((Loops.getLoopDepth(BB) || BB->isEHPad()) && !BB->isEntryBlock())
    BB = Dominators.getNode(BB)->getIDom()->getBlock();
  return BB;
}

Attachment
kst::counters::planAttachment(Function &F, const std::vector<Step> &Steps,
                              const DominatorTree &Dominators,
                              const LoopInfo &Loops,
                              const BlockFrequencyInfo &Frequencies) {
  Plan P(F, Steps, Frequencies);
  SetVector<BasicBlock *> Checked;
  std::vector<uint32_t> Looking = P.first(Checked);
  std::vector<Instruction *> Places;
  for (uint32_t I : Looking) {
    Places.push_back(Steps[I].Before);
    BasicBlock *BB = Places.back()->getParent();
    if (!Loops.getLoopDepth(BB))
      continue;
    BasicBlock *Ahead = blockAhead({Places.back()}, Dominators, Loops);
    if (P.frequency(BB) > CheckCost * P.frequency(Ahead))
      Checked.insert(Ahead);
  }
  if (!Checked.empty())
    Looking = P.first(Checked);
  if (!Places.empty()) {
    // Or once for all?
    SetVector<BasicBlock *> Once;
    Once.insert(blockAhead(Places, Dominators, Loops));
    std::vector<uint32_t> Rest = P.first(Once);
    if (P.cost(Rest, Once) < P.cost(Looking, Checked)) {
      Checked = std::move(Once);
      Looking = std::move(Rest);
    }
  }
  Attachment Result;
  Result.Looks.resize(Steps.size());
  for (uint32_t I : Looking)
    Result.Looks[I] = true;
  for (BasicBlock *BB : Checked)
    Result.Checks.push_back(BB->getTerminator());
  return Result;
}
