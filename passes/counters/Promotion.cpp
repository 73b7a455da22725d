// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Promotion.h"

#include "passes/counters/RoundCount.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace kst::counters;

/// More of them would only be kept on the stack.
static constexpr unsigned MostPerLoop = 4;

static bool isQuiet(const Instruction &I) {
  if (I.isVolatile() || I.isAtomic())
    return false;
  auto *Call = dyn_cast<CallBase>(&I);
  return !Call ||
         (isa<IntrinsicInst>(Call) && Call->willReturn() && !Call->mayThrow());
}

/// In a larger loop a step in memory is lost among the rest.
static constexpr unsigned MostInstructions = 40;

/// Does the address of a load in the loop come from that of the round before?
static bool followsPointers(const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch)
    return false;
  for (const PHINode &Phi : L.getHeader()->phis()) {
    // Values that the next one is made of, and whether by way of a load.
    SmallVector<std::pair<const Value *, bool>> Stack = {
        {Phi.getIncomingValueForBlock(Latch), false}};
    DenseMap<const Value *, unsigned> Seen;
    while (!Stack.empty()) {
      auto [V, Loaded] = Stack.pop_back_val();
      if (V == &Phi && Loaded)
        return true;
      auto *I = dyn_cast<Instruction>(V);
      unsigned &Ways = Seen[V];
      if (!I || I == &Phi || !L.contains(I) || (Ways & (1u << Loaded)))
        continue;
      Ways |= 1u << Loaded;
      Loaded |= isa<LoadInst>(I);
      for (const Value *Operand : I->operands())
        Stack.push_back({Operand, Loaded});
    }
  }
  return false;
}

static bool isWorthIt(const Loop &L) {
  unsigned Size = 0;
  for (const BasicBlock *BB : L.blocks())
    Size += BB->sizeWithoutDebug();
  return Size <= MostInstructions && !followsPointers(L);
}

static bool isQuiet(const Loop &L) {
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      if (!isQuiet(I))
        return false;
  return !L.hasNoExitBlocks();
}

/// How often the loop is entered, at most.
static uint64_t entries(const Loop &L, const BlockFrequencyInfo &Frequencies) {
  uint64_t Sum = 0;
  for (const BasicBlock *Before : predecessors(L.getHeader()))
    if (!L.contains(Before))
      Sum += Frequencies.getBlockFreq(Before).getFrequency();
  return Sum;
}

std::vector<Addition>
kst::counters::promoteCounters(Function &F, std::vector<Instruction *> &Before,
                               DominatorTree &Dominators, LoopInfo &Loops,
                               const BlockFrequencyInfo &Frequencies,
                               function_ref<ScalarEvolution &()> Evolution,
                               SmallVectorImpl<WeakTrackingVH> &Unused) {
  std::vector<Addition> Additions;
  if (Loops.empty() || F.hasOptNone())
    return Additions;

  // Everything is decided before anything changes.
  DenseMap<Loop *, bool> Quiet, Worth;
  DenseMap<Loop *, SmallVector<size_t, MostPerLoop>> Chosen;
  SmallVector<Loop *> Order;
  MapVector<Loop *, std::optional<RoundCount>> Rounds;
  auto QuietLoop = [&](Loop *L) {
    auto [It, New] = Quiet.try_emplace(L, false);
    if (New)
      It->second = isQuiet(*L);
    return It->second;
  };
  auto OftenIn = [&](const Loop &L, const BasicBlock *BB) {
    return Frequencies.getBlockFreq(BB).getFrequency() / 2 >=
           entries(L, Frequencies);
  };
  for (size_t I = 0; I != Before.size(); ++I) {
    BasicBlock *BB = Before[I]->getParent();
    Loop *Inner = Loops.getLoopFor(BB);
    if (Inner && QuietLoop(Inner) && OftenIn(*Inner, BB)) {
      if (auto [At, New] = Rounds.try_emplace(Inner); New)
        At->second = RoundCount::find(*Inner, Evolution());
      std::optional<RoundCount> &Count = Rounds[Inner];
      if (Count && Count->covers(BB, Dominators)) {
        Count->add(I, BB);
        Before[I] = nullptr;
        continue;
      }
    }
    Loop *Best = nullptr;
    for (Loop *L = Inner; L && QuietLoop(L); L = L->getParentLoop()) {
      if (auto [At, New] = Worth.try_emplace(L, false); New)
        At->second = isWorthIt(*L);
      if (Worth[L])
        Best = L;
    }
    if (!Best || !OftenIn(*Best, BB))
      continue;
    auto &List = Chosen[Best];
    if (List.empty())
      Order.push_back(Best);
    if (List.size() != MostPerLoop)
      List.push_back(I);
  }

  for (auto &[L, Count] : Rounds)
    if (Count)
      Count->finish(Dominators, Loops, Additions, Unused);

  Type *U64 = Type::getInt64Ty(F.getContext());
  for (Loop *L : Order) {
    // No more than blocks of its own: simplifyLoop() would also move and remove
    // code, before which counters are to stand, and make two loops of one.
    if (!L->getLoopPreheader() &&
        !InsertPreheaderForLoop(L, &Dominators, &Loops, nullptr, false))
      continue;
    formDedicatedExitBlocks(L, &Dominators, &Loops, nullptr, false);
    if (!L->hasDedicatedExits())
      continue;
    SmallVector<BasicBlock *> Exits;
    L->getUniqueExitBlocks(Exits);
    if (any_of(Exits, [](BasicBlock *Exit) { return Exit->isEHPad(); }))
      continue;
    for (size_t I : Chosen[L]) {
      IRBuilder<> B(Before[I]);
      auto *Add = cast<Instruction>(B.Insert(BinaryOperator::CreateAdd(
          ConstantInt::get(U64, 0), ConstantInt::get(U64, 1))));
      SSAUpdater Value;
      Value.Initialize(U64, "");
      Value.AddAvailableValue(L->getLoopPreheader(), ConstantInt::get(U64, 0));
      Value.AddAvailableValue(Add->getParent(), Add);
      Add->setOperand(0, Value.GetValueInMiddleOfBlock(Add->getParent()));
      for (BasicBlock *Exit : Exits)
        Additions.push_back({I, &*Exit->getFirstInsertionPt(),
                             Value.GetValueInMiddleOfBlock(Exit)});
      Before[I] = nullptr;
    }
  }
  return Additions;
}
