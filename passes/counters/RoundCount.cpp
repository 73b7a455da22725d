// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/RoundCount.h"

#include "passes/counters/LastExit.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#include <map>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kst::counters;

/// With 64 bits and a stride below this, no program lives long enough to see
/// the variable at its start again: 2 to the 56 rounds.
static constexpr uint64_t MostStride = 256;

/// Is Rounds * Size less than 2 to the width?
static bool fits(const APInt &Rounds, uint64_t Size, unsigned Width) {
  const unsigned Wide = std::max(Rounds.getBitWidth(), 64u) + 66;
  APInt Way = Rounds.zext(Wide) * APInt(Wide, Size);
  return Way.getActiveBits() <= Width;
}

/// With the flags of both, (b + 1) strides fit: one round more than Values'
/// flag says, if there is a round behind. A flag of Following alone says only
/// that this does not come round to its own start.
static bool fitsOneMore(const SCEVAddRecExpr &Values,
                        const SCEVAddRecExpr &Following) {
  return (Values.hasNoUnsignedWrap() && Following.hasNoUnsignedWrap()) ||
         (Values.hasNoSignedWrap() && Following.hasNoSignedWrap());
}

std::optional<RoundCount> RoundCount::find(Loop &L,
                                           ScalarEvolution &Evolution) {
  BasicBlock *Latch = L.getLoopLatch();
  if (!Latch)
    return std::nullopt;
  auto CanSplit = [](const BasicBlock *From, const BasicBlock *To) {
    return !To->isEHPad() && isa<BranchInst, SwitchInst>(From->getTerminator());
  };
  for (const BasicBlock *From : predecessors(L.getHeader()))
    if (!CanSplit(From, L.getHeader()))
      return std::nullopt;
  SmallVector<Loop::Edge> Exits;
  L.getExitEdges(Exits);
  for (auto [From, To] : Exits)
    if (!CanSplit(From, To))
      return std::nullopt;
  const DataLayout &Layout = Evolution.getDataLayout();
  auto *Most =
      dyn_cast<SCEVConstant>(Evolution.getConstantMaxBackedgeTakenCount(&L));

  std::optional<RoundCount> Best;
  unsigned BestCost = ~0u;
  for (PHINode &Phi : L.getHeader()->phis()) {
    if (!Evolution.isSCEVable(Phi.getType()) ||
        Layout.isNonIntegralPointerType(Phi.getType()))
      continue;
    const unsigned Width = Evolution.getTypeSizeInBits(Phi.getType());
    auto *Values = dyn_cast<SCEVAddRecExpr>(Evolution.getSCEV(&Phi));
    auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Latch));
    if (Width < 8 || Width > 64 || !isPowerOf2_32(Width) || !Values ||
        Values->getLoop() != &L || !Values->isAffine() || !Next ||
        !L.contains(Next))
      continue;
    auto *Following = dyn_cast<SCEVAddRecExpr>(Evolution.getSCEV(Next));
    auto *By = dyn_cast<SCEVConstant>(Values->getStepRecurrence(Evolution));
    if (!By || By->isZero() || !Following ||
        any_of(Phi.incoming_values(), IsaPred<UndefValue>) ||
        Following != Values->getPostIncExpr(Evolution))
      continue;
    RoundCount Found;
    Found.L = &L;
    Found.Phi = &Phi;
    Found.Next = Next;
    Found.Stride = By->getAPInt().getSExtValue();
    const uint64_t Size = By->getAPInt().sext(65).abs().getZExtValue();
    if (Width == 64 && Size < MostStride) {
      Found.NextFits = true;
    } else {
      const bool Bound = Most && fits(Most->getAPInt(), Size, Width);
      if (!Bound && !Values->hasNoSelfWrap())
        continue;
      Found.NextFits =
          fitsOneMore(*Values, *Following) ||
          (Bound &&
           fits(Most->getAPInt().zext(Most->getAPInt().getBitWidth() + 1) + 1,
                Size, Width));
    }
    // Instructions at the exit, and a register if start is no constant.
    unsigned Cost = 3 * !isa<SCEVConstant>(Values->getStart()) +
                    (Size == 1             ? 0
                     : isPowerOf2_64(Size) ? 1
                                           : 2) +
                    (Width != 64) + 2 * !Found.NextFits;
    if (Cost < BestCost) {
      Best = std::move(Found);
      BestCost = Cost;
    }
  }
  return Best;
}

static bool isBehind(const BasicBlock *Step, const BasicBlock *BB,
                     const DominatorTree &Dominators) {
  return Dominators.dominates(Step, BB);
}

bool RoundCount::covers(const BasicBlock *Step,
                        const DominatorTree &Dominators) const {
  if (!Dominators.dominates(Step, L->getLoopLatch()))
    return false;
  // What Step leads to in the same round. LoopInfo does not know of cycles with
  // several entries.
  SmallPtrSet<const BasicBlock *, 32> After;
  SmallVector<const BasicBlock *> Stack = {Step};
  while (!Stack.empty())
    for (const BasicBlock *To : successors(Stack.pop_back_val()))
      if (To != L->getHeader() && L->contains(To) && After.insert(To).second)
        Stack.push_back(To);
  if (After.contains(Step))
    return false;
  SmallVector<BasicBlock *> Exiting;
  L->getExitingBlocks(Exiting);
  return all_of(Exiting, [&](const BasicBlock *BB) {
    return isBehind(Step, BB, Dominators) || !After.contains(BB);
  });
}

/// Of type i64, from Last: the phi or the next value, or what this is known to
/// be; with the step of the last round done or not.
Value *RoundCount::amount(IRBuilderBase &B, Value *Start, Value *Last,
                          bool ByNext, bool Done) const {
  // In an innermost loop the code generator sees through differences and
  // quotients, and would keep another variable for the result: it is to see a
  // use of this one.
  if (L->isInnermost() && (Last == Phi || Last == Next) &&
      (!match(Start, m_Zero()) || Stride != 1)) {
    Type *T = Last->getType();
    CallInst *Hidden =
        B.CreateCall(InlineAsm::get(FunctionType::get(T, T, false), "", "=r,0",
                                    /*hasSideEffects=*/false),
                     Last);
    Hidden->setDoesNotThrow();
    Hidden->setDoesNotAccessMemory();
    Last = Hidden;
  }
  if (Last->getType()->isPointerTy()) {
    Type *Whole =
        B.GetInsertBlock()->getModule()->getDataLayout().getIntPtrType(
            Last->getType());
    Last = B.CreatePtrToInt(Last, Whole);
    Start = B.CreatePtrToInt(Start, Whole);
  }
  // The next value as such tells the rounds with this one.
  const bool Whole = ByNext && Done && NextFits;
  if (ByNext && !Whole)
    Start =
        B.CreateAdd(Start, ConstantInt::getSigned(Start->getType(), Stride));
  Value *Way = Stride > 0 ? B.CreateSub(Last, Start) : B.CreateSub(Start, Last);
  const uint64_t Size = Stride > 0 ? Stride : -uint64_t(Stride);
  if (isPowerOf2_64(Size) && Size != 1)
    Way = B.CreateLShr(Way, Log2_64(Size), "", /*isExact=*/true);
  else if (Size != 1)
    Way = B.CreateExactUDiv(Way, ConstantInt::get(Way->getType(), Size));
  Way = B.CreateZExt(Way, B.getInt64Ty());
  return Done && !Whole ? B.CreateAdd(Way, B.getInt64(1)) : Way;
}

/// What a value of the loop is known to be where it is left from From: outside
/// of the loop it is not needed then, and the code generator may count another
/// way. Null if not known.
static Value *valueAt(const BasicBlock &From, const BasicBlock &To,
                      const Loop &L, const Value *V) {
  auto *Branch = dyn_cast<BranchInst>(From.getTerminator());
  if (!Branch || !Branch->isConditional() ||
      Branch->getSuccessor(0) == Branch->getSuccessor(1))
    return nullptr;
  auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
  if (!Compare || !Compare->isEquality() ||
      (Compare->getPredicate() == ICmpInst::ICMP_EQ) !=
          (Branch->getSuccessor(0) == &To))
    return nullptr;
  for (unsigned I : {0, 1})
    if (Compare->getOperand(I) == V &&
        L.isLoopInvariant(Compare->getOperand(1 - I)))
      return Compare->getOperand(1 - I);
  return nullptr;
}

/// The value of the first round, for phi and amounts alike: one that is not
/// defined may be another one at each use.
static Value *settledStart(PHINode &Phi, BasicBlock &Preheader,
                           const DominatorTree &Dominators) {
  Value *Start = Phi.getIncomingValueForBlock(&Preheader);
  Instruction *End = Preheader.getTerminator();
  if (isGuaranteedNotToBeUndefOrPoison(Start, nullptr, End, &Dominators))
    return Start;
  auto *Settled = new FreezeInst(Start, "", End->getIterator());
  Phi.setIncomingValueForBlock(&Preheader, Settled);
  if (isa<Constant>(Start)) // used in other functions, too
    return Settled;
  // Two names of it could be two registers.
  Start->replaceUsesWithIf(Settled, [&](const Use &U) {
    return U.getUser() != Settled && Dominators.dominates(Settled, U);
  });
  return Settled;
}

void RoundCount::finish(DominatorTree &Dominators, LoopInfo &Loops,
                        std::vector<Addition> &Additions,
                        SmallVectorImpl<WeakTrackingVH> &Unused) {
  if (Counters.empty())
    return;
  Next = splitLastExit(*L, *Phi, *Next, Dominators, Loops, Unused);
  // A last next value that nobody asks for may overflow; now it is asked for.
  if (!programUndefinedIfPoison(Next))
    for (auto *I = Next; I && I != Phi && L->contains(I) && !isa<PHINode>(I);
         I = dyn_cast<Instruction>(I->getOperand(0)))
      I->dropPoisonGeneratingFlags();
  BasicBlock *Preheader = L->getLoopPreheader();
  if (!Preheader)
    Preheader = InsertPreheaderForLoop(L, &Dominators, &Loops, nullptr, false);
  Value *Start = settledStart(*Phi, *Preheader, Dominators);

  // Exits with the same value to ask for, and for each counter the same answer
  // to whether its last step is done.
  using Key = SmallVector<uint32_t, 8>;
  SmallVector<Loop::Edge> Edges;
  L->getExitEdges(Edges);
  MapVector<BasicBlock *, std::map<Key, SmallSetVector<BasicBlock *, 4>>> Exits;
  SmallVector<Value *> Values = {Phi, Next};
  for (auto [From, To] : Edges) {
    const bool ByNext = Dominators.dominates(Next, From->getTerminator());
    Key K = {ByNext, ByNext};
    if (Value *Known = valueAt(*From, *To, *L, Values[ByNext])) {
      K[1] = Values.size();
      Values.push_back(Known);
    }
    for (auto [Counter, Step] : Counters)
      K.push_back(isBehind(Step, From, Dominators));
    Exits[To][K].insert(From);
  }
  for (auto &[To, Groups] : Exits)
    for (auto &[K, From] : Groups) {
      BasicBlock *Exit = To;
      if (any_of(predecessors(To),
                 [&](BasicBlock *BB) { return !From.contains(BB); }))
        Exit = SplitBlockPredecessors(To, From.getArrayRef(), "", &Dominators,
                                      &Loops, nullptr, false);
      Instruction *Before = &*Exit->getFirstInsertionPt();
      IRBuilder<> B(Before);
      for (size_t I = 0; I != Counters.size(); ++I)
        Additions.push_back({Counters[I].first, Before,
                             amount(B, Start, Values[K[1]], K[0], K[I + 2])});
    }
}
