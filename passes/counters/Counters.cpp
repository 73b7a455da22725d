// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Counters.h"

#include "passes/abi/kst_abi.h"
#include "passes/counters/Attachment.h"
#include "passes/counters/Compat.h"
#include "passes/counters/Promotion.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace kst::counters;

Counters::Counters(Module &M, bool Kernel)
    : M(M), Kernel(Kernel), X86(targetTriple(M).getArch() == Triple::x86_64),
      Executable(M.getPICLevel() == PICLevel::NotPIC ||
                 M.getPIELevel() != PIELevel::Default) {}

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

/// Where the address of thread-local data is a constant distance from the
/// thread pointer, in an executable, it is not worth keeping.
Value *Counters::block(IRBuilderBase &B, Value *Kept) {
  return Kernel       ? Storage
         : Executable ? B.CreateThreadLocalAddress(Storage)
                      : Kept;
}

/// One instruction, or one with a look behind it: what interrupts it counts
/// for itself. The call stands apart from the function's own code, and the
/// compiler does not know of it: nothing is shaped by a call that comes once.
/// Below the stack pointer may be data of a function without calls, 128 bytes.
void Counters::assembly(IRBuilderBase &B, StringRef Code, StringRef Look,
                        Value *Address, Value *Amount, Function &F) {
  SmallVector<Value *, 4> Operands = {Address, Address};
  SmallVector<Type *, 4> Types = {B.getPtrTy(), B.getPtrTy()};
  std::string Text = Code.str(), Constraints = "=*m,*m,";
  auto Add = [&](Value *Operand, StringRef Constraint) {
    Operands.push_back(Operand);
    Types.push_back(Operand->getType());
    Constraints += Constraint;
  };
  if (Amount)
    Add(Amount, "r,");
  if (!Look.empty()) {
    Text +=
        ("\n\t" + Look +
         " 2f\n1:\n\t.subsection 1\n2:\n\tleaq -136(%rsp), %rsp\n\tcall ${" +
         Twine(Operands.size()) +
         ":P}\n\tleaq 136(%rsp), %rsp\n\tjmp 1b\n\t.previous")
            .str();
    Add(attachFunction(F), "i,");
  }
  auto *Asm = InlineAsm::get(FunctionType::get(B.getVoidTy(), Types, false),
                             Text, Constraints + "~{dirflag},~{fpsr},~{flags}",
                             /*hasSideEffects=*/true);
  CallInst *Call = B.CreateCall(Asm, Operands);
  for (unsigned I : {0, 1})
    Call->addParamAttr(I, Attribute::get(M.getContext(), Attribute::ElementType,
                                         B.getInt64Ty()));
  Call->setDoesNotThrow();
}

/// Amount null: 1. Kept: the block's address, where it is worth keeping.
void Counters::add(Instruction *Before, uint32_t Counter, Value *Kept,
                   Value *Amount, bool Looks) {
  IRBuilder<> B(Before);
  uint64_t Offset = (Kernel ? 0 : sizeof(kst_block)) + 8 * uint64_t(Counter);
  Value *Address = B.CreatePtrAdd(block(B, Kept), B.getInt64(Offset));
  if (!X86) {
    Type *U64 = B.getInt64Ty();
    B.CreateStore(B.CreateAdd(B.CreateLoad(U64, Address),
                              Amount ? Amount : B.getInt64(1)),
                  Address);
    return;
  }
  // Not attached: ~0 + 1 is zero, and ~0 + n for n > 0 carries.
  assembly(B,
           Kernel   ? "incq %gs:$0"
           : Amount ? "addq $2, $0"
                    : "incq $0",
           !Looks   ? ""
           : Amount ? "jc"
                    : "je",
           Address, Amount, *Before->getFunction());
}

/// Tells the runtime of this thread's block. From assembly: keeps all registers
/// that the processor features of F know, whatever the stack's alignment.
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
  auto Make = [&](StringRef Name) {
    auto *New = Function::Create(FunctionType::get(Type::getVoidTy(C), false),
                                 GlobalValue::InternalLinkage, Name, M);
    New->addFnAttrs(Features);
    for (Attribute::AttrKind Kind :
         {Attribute::Cold, Attribute::NoInline, Attribute::NoUnwind,
          Attribute::MinSize, Attribute::OptimizeForSize})
      New->addFnAttr(Kind);
    return New;
  };
  Attach = Make("__kst_attach");
  IRBuilder<> B(BasicBlock::Create(C, "", Attach));
  FunctionCallee Runtime = M.getOrInsertFunction(
      "__kst_rt_attach",
      FunctionType::get(B.getVoidTy(), {B.getPtrTy(), B.getPtrTy()}, false));
  B.CreateCall(Runtime, {unit(), B.CreateThreadLocalAddress(Storage)})
      ->setDoesNotThrow();
  B.CreateRetVoid();
  if (!X86)
    return Attach;
  // preserve_all keeps all registers but r11.
  Function *Keeps = Attach;
  Keeps->setCallingConv(CallingConv::PreserveAll);
  Attach = Make("__kst_attach_from_asm");
  Attach->addFnAttr(Attribute::Naked);
  B.SetInsertPoint(BasicBlock::Create(C, "", Attach));
  B.CreateCall(
      InlineAsm::get(FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false),
                     "pushq %r11\n\tmovq %rsp, %r11\n\tandq $$-64, %rsp\n\t"
                     "pushq %r11\n\tpushq %r11\n\tcall ${0:P}\n\t"
                     "movq (%rsp), %rsp\n\tpopq %r11\n\tretq",
                     "i", /*hasSideEffects=*/true),
      {Keeps});
  B.CreateUnreachable();
  return Attach;
}

/// Makes the thread known to the runtime, if it is not.
void Counters::check(Instruction *Before, Value *Kept) {
  IRBuilder<> B(Before);
  Function &F = *Before->getFunction();
  if (X86)
    return assembly(B, "cmpq $$0, $0", "je", block(B, Kept), nullptr, F);
  // Splitting must not make local variables dynamic.
  SmallVector<AllocaInst *> Late;
  for (Instruction *I = Before; I; I = I->getNextNode())
    if (auto *Alloca = dyn_cast<AllocaInst>(I))
      if (Alloca->isStaticAlloca())
        Late.push_back(Alloca);
  BasicBlock &BB = *Before->getParent();
  for (AllocaInst *Alloca : Late)
    Alloca->moveBefore(BB, BB.getFirstInsertionPt());
  Value *Attached = B.CreateLoad(B.getInt64Ty(), block(B, Kept));
  B.SetInsertPoint(SplitBlockAndInsertIfThen(
      B.CreateIsNull(Attached), Before->getIterator(), /*Unreachable=*/false,
      MDBuilder(M.getContext()).createBranchWeights(1, (1u << 20) - 1)));
  CallInst *Call = B.CreateCall(attachFunction(F));
  Call->setDoesNotThrow();
  Call->addFnAttr(Attribute::Cold);
  if (DISubprogram *Sub = F.getSubprogram())
    Call->setDebugLoc(DILocation::get(M.getContext(), 0, 0, Sub));
}

/// A place in the block ahead of all of these, at the first that is in it.
static Instruction *placeAhead(const std::vector<Instruction *> &Places,
                               const DominatorTree &Dominators,
                               const LoopInfo &Loops) {
  BasicBlock *BB = blockAhead(Places, Dominators, Loops);
  for (Instruction &I : *BB)
    if (is_contained(Places, &I))
      return &I;
  return BB->getTerminator();
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
  if (Kernel) {
    for (size_t I = 0; I != Before.size(); ++I)
      add(Before[I], First + I, nullptr, nullptr, false);
    return First;
  }

  auto &Dominators = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &Loops = FAM.getResult<LoopAnalysis>(F);
  auto *Frequencies = &FAM.getResult<BlockFrequencyAnalysis>(F);
  const std::vector<Instruction *> All = Before;
  std::vector<Addition> Additions;
  if (Promote)
    Additions = promoteCounters(
        F, Before, Dominators, Loops, *Frequencies,
        [&]() -> ScalarEvolution & {
          return FAM.getResult<ScalarEvolutionAnalysis>(F);
        },
        Unused);
  // Promotion made blocks.
  std::optional<BranchProbabilityInfo> Branches;
  std::optional<BlockFrequencyInfo> New;
  if (!Additions.empty()) {
    Branches.emplace(F, Loops);
    Frequencies = &New.emplace(F, *Branches, Loops);
  }

  std::vector<Step> Steps;
  for (Instruction *I : Before)
    if (I)
      Steps.push_back({I, true});
  for (const Addition &A : Additions)
    Steps.push_back({A.Before, false});
  Instruction *Ahead = placeAhead(All, Dominators, Loops);
  Attachment Plan =
      X86 ? planAttachment(F, Steps, Dominators, Loops, *Frequencies)
          : Attachment{std::vector<bool>(Steps.size()), {Ahead}};
  Value *Kept = nullptr;
  if (!Executable || !X86)
    Kept = IRBuilder<>(Ahead).CreateThreadLocalAddress(Storage);

  size_t Next = 0;
  for (size_t I = 0; I != Before.size(); ++I)
    if (Before[I])
      add(Before[I], First + I, Kept, nullptr, Plan.Looks[Next++]);
  for (const Addition &A : Additions)
    add(A.Before, First + A.Counter, Kept, A.Amount, Plan.Looks[Next++]);
  // Last: without assembly, blocks are split.
  for (Instruction *Place : Plan.Checks)
    check(Place, Kept);
  return First;
}

/// Tells the runtime that what it is linked into has something to count.
static void defineCounted(Module &M) {
  Type *U8 = Type::getInt8Ty(M.getContext());
  auto *Counted = new GlobalVariable(M, U8, true, GlobalValue::WeakODRLinkage,
                                     ConstantInt::get(U8, 0), KST_COUNTED_NAME);
  Counted->setVisibility(GlobalValue::HiddenVisibility);
  Counted->setComdat(M.getOrInsertComdat(KST_COUNTED_NAME));
}

void Counters::finish(uint64_t Hash, uint32_t Sites) {
  if (!Kernel)
    defineCounted(M);
  if (!Storage && !Unit)
    return;
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Unused);
  LLVMContext &C = M.getContext();
  Type *U64 = Type::getInt64Ty(C), *U32 = Type::getInt32Ty(C);
  if (Storage) {
    Type *T =
        ArrayType::get(U64, Number + (Kernel ? 0 : sizeof(kst_block) / 8));
    Constant *Initial = ConstantAggregateZero::get(T);
    if (!Kernel) { // the words of a kst_block, then one less than 0 for each
      SmallVector<uint64_t> Words(sizeof(kst_block) / 8);
      Words.resize(Words.size() + Number, ~uint64_t(0));
      Initial = ConstantDataArray::get(C, Words);
    }
    auto *Real =
        new GlobalVariable(M, T, false, GlobalValue::InternalLinkage, Initial,
                           "", nullptr, Storage->getThreadLocalMode());
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
          ConstantInt::get(U32, Kernel ? KST_ABI_VERSION : KST_USER_VERSION)}));
  if (Kernel) {
    Unit->setSection(KST_UNITS_SECTION);
    appendToCompilerUsed(M, {Unit});
  }
}
