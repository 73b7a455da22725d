// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Counters.h"

#include "passes/abi/kst_abi.h"
#include "passes/counters/Compat.h"
#include "passes/counters/Promotion.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace kst::counters;

Counters::Counters(Module &M, bool Kernel)
    : M(M), Kernel(Kernel), X86(targetTriple(M).getArch() == Triple::x86_64),
      Executable(M.getPICLevel() == PICLevel::NotPIC ||
                 M.getPIELevel() != PIELevel::Default),
      AttachConvention(X86 ? CallingConv::PreserveAll : CallingConv::C) {}

GlobalVariable *Counters::unit() {
  if (!Unit) {
    LLVMContext &C = M.getContext();
    Type *U64 = Type::getInt64Ty(C), *U32 = Type::getInt32Ty(C);
    auto *T = StructType::get(C, {U64, U64, U32, U32, U32, U32});
    Unit = new GlobalVariable(M, T, false, GlobalValue::InternalLinkage,
                              ConstantAggregateZero::get(T), "__kst_unit");
    Unit->setAlignment(Align(8));
  }
  return Unit;
}

/// Amount null: 1. Block: the thread's, where it is worth keeping.
void Counters::add(Instruction *Before, uint32_t Counter, Value *Block,
                   Value *Amount) {
  IRBuilder<> B(Before);
  Type *U64 = B.getInt64Ty();
  // The address of thread-local data is a constant distance from the thread
  // pointer in an executable; elsewhere it is kept.
  Value *Base = Kernel       ? Storage
                : Executable ? B.CreateThreadLocalAddress(Storage)
                             : Block;
  uint64_t Offset = (Kernel ? 0 : sizeof(kst_block)) + 8 * uint64_t(Counter);
  Value *Address = B.CreatePtrAdd(Base, B.getInt64(Offset));
  if (!X86) {
    B.CreateStore(B.CreateAdd(B.CreateLoad(U64, Address),
                              Amount ? Amount : B.getInt64(1)),
                  Address);
    return;
  }
  // One instruction: what interrupts it counts for itself.
  SmallVector<Value *, 3> Operands = {Address, Address};
  SmallVector<Type *, 3> Types = {B.getPtrTy(), B.getPtrTy()};
  if (Amount) {
    Operands.push_back(Amount);
    Types.push_back(U64);
  }
  auto *Asm = InlineAsm::get(FunctionType::get(B.getVoidTy(), Types, false),
                             Kernel   ? "incq %gs:$0"
                             : Amount ? "addq $2, $0"
                                      : "incq $0",
                             Amount ? "=*m,*m,r,~{dirflag},~{fpsr},~{flags}"
                                    : "=*m,*m,~{dirflag},~{fpsr},~{flags}",
                             /*hasSideEffects=*/true);
  CallInst *Call = B.CreateCall(Asm, Operands);
  for (unsigned I : {0, 1})
    Call->addParamAttr(
        I, Attribute::get(M.getContext(), Attribute::ElementType, U64));
  Call->setDoesNotThrow();
}

/// Tells the runtime of this thread's block. It keeps all registers that the
/// processor features of F know, so that the code around the call is not
/// shaped by a call that comes once.
Function *Counters::attachFunction(const Function &F) {
  LLVMContext &C = M.getContext();
  AttrBuilder Features(C);
  for (StringRef Kind : {"target-cpu", "target-features", "tune-cpu"})
    if (F.hasFnAttribute(Kind))
      Features.addAttribute(F.getFnAttribute(Kind));
  AttributeSet Key = AttributeSet::get(C, Features);
  Function *&Attach = AttachFunctions[Key];
  if (Attach)
    return Attach;
  Attach = Function::Create(FunctionType::get(Type::getVoidTy(C), false),
                            GlobalValue::InternalLinkage, "__kst_attach", M);
  Attach->setCallingConv(AttachConvention);
  Attach->addFnAttrs(Features);
  for (Attribute::AttrKind Kind :
       {Attribute::Cold, Attribute::NoInline, Attribute::NoUnwind,
        Attribute::MinSize, Attribute::OptimizeForSize})
    Attach->addFnAttr(Kind);
  IRBuilder<> B(BasicBlock::Create(C, "", Attach));
  FunctionCallee Runtime = M.getOrInsertFunction(
      "__kst_rt_attach",
      FunctionType::get(B.getVoidTy(), {B.getPtrTy(), B.getPtrTy()}, false));
  B.CreateCall(Runtime, {unit(), B.CreateThreadLocalAddress(Storage)})
      ->setDoesNotThrow();
  B.CreateRetVoid();
  return Attach;
}

/// Makes the thread known to the runtime before the first counter of F: looked
/// at once, where all of them are still ahead, outside of loops. The block's
/// address, where it is worth keeping.
Value *Counters::attach(Function &F, const std::vector<Instruction *> &Before,
                        const DominatorTree &Dominators,
                        const LoopInfo &Loops) {
  // At -O0 code stays that no path leads to: it dominates nothing.
  BasicBlock *BB = nullptr;
  for (Instruction *I : Before)
    if (Dominators.isReachableFromEntry(I->getParent()))
      BB = BB ? Dominators.findNearestCommonDominator(BB, I->getParent())
              : I->getParent();
  if (!BB)
    BB = &F.getEntryBlock();
  while ((Loops.getLoopDepth(BB) || BB->isEHPad()) && BB != &F.getEntryBlock())
    BB = Dominators.getNode(BB)->getIDom()->getBlock();
  Instruction *At = BB->getTerminator();
  for (Instruction &I : *BB)
    if (is_contained(Before, &I)) {
      At = &I;
      break;
    }
  // Splitting must not make local variables dynamic.
  SmallVector<AllocaInst *> Late;
  for (Instruction *I = At; I; I = I->getNextNode())
    if (auto *Alloca = dyn_cast<AllocaInst>(I))
      if (Alloca->isStaticAlloca())
        Late.push_back(Alloca);
  for (AllocaInst *Alloca : Late)
    Alloca->moveBefore(*BB, BB->getFirstInsertionPt());

  IRBuilder<> B(At);
  Value *Block = B.CreateThreadLocalAddress(Storage);
  Value *Attached = B.CreateLoad(B.getInt64Ty(), Block);
  Instruction *Then = SplitBlockAndInsertIfThen(
      B.CreateIsNull(Attached), At->getIterator(), /*Unreachable=*/false,
      MDBuilder(M.getContext()).createBranchWeights(1, (1u << 20) - 1));
  B.SetInsertPoint(Then);
  CallInst *Call = B.CreateCall(attachFunction(F));
  Call->setCallingConv(AttachConvention);
  Call->setDoesNotThrow();
  Call->addFnAttr(Attribute::Cold);
  if (DISubprogram *Sub = F.getSubprogram())
    Call->setDebugLoc(DILocation::get(M.getContext(), 0, 0, Sub));
  return Block;
}

uint32_t Counters::count(Function &F, std::vector<Instruction *> Before,
                         FunctionAnalysisManager &FAM, bool Promote) {
  const uint32_t First = Number;
  if (Before.empty())
    return First;
  Number += Before.size();
  LLVMContext &C = M.getContext();
  if (!Storage) {
    // Its size is known at the end.
    Storage = new GlobalVariable(
        M, Type::getInt64Ty(C), false, GlobalValue::ExternalLinkage, nullptr,
        Kernel ? "__kst_counts" : "__kst_block", nullptr,
        Kernel ? GlobalValue::NotThreadLocal
               : GlobalValue::GeneralDynamicTLSModel);
    Storage->setDSOLocal(true);
  }
  Value *Block = nullptr;
  std::vector<Addition> Additions;
  if (!Kernel) {
    auto &Dominators = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &Loops = FAM.getResult<LoopAnalysis>(F);
    const std::vector<Instruction *> All = Before;
    if (Promote)
      Additions = promoteCounters(F, Before, Dominators, Loops,
                                  FAM.getResult<BlockFrequencyAnalysis>(F));
    Block = attach(F, All, Dominators, Loops);
  }
  for (size_t I = 0; I != Before.size(); ++I)
    if (Before[I])
      add(Before[I], First + I, Block, nullptr);
  for (const Addition &A : Additions)
    add(A.Before, First + A.Counter, Block, A.Amount);
  return First;
}

void Counters::finish(uint64_t Hash, uint32_t Sites) {
  if (!Storage && !Unit)
    return;
  LLVMContext &C = M.getContext();
  Type *U64 = Type::getInt64Ty(C), *U32 = Type::getInt32Ty(C);
  if (Storage) {
    Type *T =
        ArrayType::get(U64, Number + (Kernel ? 0 : sizeof(kst_block) / 8));
    auto *Real = new GlobalVariable(M, T, false, GlobalValue::InternalLinkage,
                                    ConstantAggregateZero::get(T), "", nullptr,
                                    Storage->getThreadLocalMode());
    Real->setAlignment(Align(8));
    if (Kernel)
      Real->setSection(KST_PERCPU_SECTION);
    Real->takeName(Storage);
    Storage->replaceAllUsesWith(Real);
    Storage->eraseFromParent();
    Storage = Real;
  }
  Constant *Where = Kernel && Storage ? ConstantExpr::getPtrToInt(Storage, U64)
                                      : Constant::getNullValue(U64);
  auto *T = cast<StructType>(unit()->getValueType());
  Unit->setInitializer(ConstantStruct::get(
      T, {ConstantInt::get(U64, Hash), Where, ConstantInt::get(U32, Number),
          ConstantInt::get(U32, Sites), ConstantInt::get(U32, 0),
          ConstantInt::get(U32, KST_ABI_VERSION)}));
  if (Kernel) {
    Unit->setSection(KST_UNITS_SECTION);
    appendToCompilerUsed(M, {Unit});
  }
}
