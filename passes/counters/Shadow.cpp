// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Shadow.h"

#include "passes/abi/kst_abi.h"
#include "passes/counters/Markers.h"
#include "passes/counters/RuntimeCalls.h"
#include "passes/counters/StructTypes.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <map>
#include <tuple>

using namespace llvm;
using namespace kst::counters;

std::vector<TypeObservation>
kst::counters::observeTypes(Function &F, const SiteTable &Table,
                            const DominatorTree &Dominators) {
  const DataLayout &Layout = F.getParent()->getDataLayout();
  std::map<std::tuple<Value *, int64_t, uint32_t>, SmallVector<Instruction *>>
      Told;
  std::vector<TypeObservation> TypeObservations;
  SmallVector<Instruction *> Markers;
  for (Instruction &I : instructions(F)) {
    int64_t Number = markedSegment(I);
    if (Number < 0 || !isTypeObservation(Table.Segments[Number]))
      continue;
    Markers.push_back(&I);
    Value *Pointer = markedPointer(I);
    if (!Pointer || isa<Constant, AllocaInst>(getUnderlyingObject(Pointer)))
      continue;
    const Site &S = Table.Sites[Table.Segments[Number].begin()->first];
    APInt Distance(Layout.getIndexTypeSizeInBits(Pointer->getType()), 0);
    Value *Base = Pointer->stripAndAccumulateConstantOffsets(
        Layout, Distance, /*AllowNonInbounds=*/true);
    int64_t Offset = Distance.getSExtValue() - int64_t(S.Offset);
    auto &Before = Told[{Base, Offset, S.Struct}];
    if (any_of(Before, [&](Instruction *Other) {
          return Dominators.dominates(Other, &I);
        }))
      continue;
    Before.push_back(&I);
    TypeObservations.push_back({behindMarkers(I), Base, Offset, S.Struct});
  }
  for (Instruction *I : Markers)
    I->eraseFromParent();
  return TypeObservations;
}

/// Where members begin, of anonymous structs inside as well.
static void addOffsets(StructType *T, uint32_t Start, const DataLayout &Layout,
                       std::vector<uint32_t> &Offsets) {
  const llvm::StructLayout *L = Layout.getStructLayout(T);
  for (unsigned I = 0; I != T->getNumElements(); ++I) {
    uint32_t At = Start + L->getElementOffset(I).getFixedValue();
    auto *Inner = dyn_cast<StructType>(T->getElementType(I));
    if (Inner && Inner->hasName() && Inner->getName().starts_with("struct.") &&
        sourceName(*Inner).empty())
      addOffsets(Inner, At, Layout, Offsets);
    else
      Offsets.push_back(At);
  }
}

namespace {

/// The value of the shadow at an address, and what is done with it.
class Shadow {
public:
  explicit Shadow(Module &M) : M(M), C(M.getContext()) {
    T = StructType::get(C, {Type::getInt64Ty(C), PointerType::getUnqual(C)});
    Global = cast<GlobalVariable>(M.getOrInsertGlobal("__kst_shadow", T));
    Global->setDSOLocal(true);
    Rare = MDBuilder(C).createBranchWeights(1, 1000);
  }
  void check(const Check &Check, bool Count, GlobalVariable *Unit);
  void lesson(const TypeObservation &L, const kst::counters::StructLayout &S);

private:
  Module &M;
  LLVMContext &C;
  StructType *T;
  GlobalVariable *Global;
  MDNode *Rare;

  Value *load(IRBuilder<> &B, Type *Of, Value *At, AtomicOrdering Order) {
    LoadInst *Load = B.CreateLoad(Of, At);
    Load->setAtomic(Order);
    return Load;
  }
  /// i16.
  Value *value(IRBuilder<> &B, Value *Address) {
    // The mask before the pointer: both change once, the pointer first.
    Value *Mask = load(B, B.getInt64Ty(), B.CreateStructGEP(T, Global, 0),
                       AtomicOrdering::Acquire);
    Value *Values = load(B, B.getPtrTy(), B.CreateStructGEP(T, Global, 1),
                         AtomicOrdering::Monotonic);
    Value *Index = B.CreateAnd(B.CreateLShr(Address, KST_GRANULE_BITS), Mask);
    return load(B, B.getInt16Ty(),
                B.CreateInBoundsGEP(B.getInt16Ty(), Values, Index),
                AtomicOrdering::Monotonic);
  }
  CallInst *call(IRBuilder<> &B, StringRef Name, Type *Result,
                 ArrayRef<Value *> Arguments);
  GlobalVariable *type(const kst::counters::StructLayout &S);
};

} // namespace

CallInst *Shadow::call(IRBuilder<> &B, StringRef Name, Type *Result,
                       ArrayRef<Value *> Arguments) {
  SmallVector<Type *> Types;
  for (Value *V : Arguments)
    Types.push_back(V->getType());
  FunctionCallee Callee =
      M.getOrInsertFunction(Name, FunctionType::get(Result, Types, false));
  auto *F = cast<Function>(Callee.getCallee());
  F->setCallingConv(CallingConv::PreserveMost);
  F->setDoesNotThrow();
  F->addFnAttr(Attribute::Cold);
  CallInst *Call = B.CreateCall(Callee, Arguments);
  Call->setCallingConv(CallingConv::PreserveMost);
  Call->setDoesNotThrow();
  return Call;
}

static void locate(IRBuilder<> &B, Instruction &Before) {
  if (!Before.getDebugLoc())
    if (DISubprogram *Sub = Before.getFunction()->getSubprogram())
      B.SetCurrentDebugLocation(
          DILocation::get(Before.getContext(), 0, 0, Sub));
}

/// How many bytes the memcpy or memset before which a check stands has, if that
/// is known when it runs only; else null.
static Value *bytesAt(const Check &Check) {
  auto *Mem = dyn_cast<MemIntrinsic>(Check.Before);
  if (!Mem || Check.BulkBytes)
    return nullptr;
  auto *Copy = dyn_cast<MemTransferInst>(Mem);
  const bool Same = Check.Writes
                        ? Mem->getRawDest() == Check.Pointer
                        : Copy && Copy->getRawSource() == Check.Pointer;
  return Same && !isa<Constant>(Mem->getLength()) ? Mem->getLength() : nullptr;
}

void Shadow::check(const Check &Check, bool Count, GlobalVariable *Unit) {
  IRBuilder<> B(Check.Before);
  locate(B, *Check.Before);
  Value *Address = B.CreatePtrToInt(Check.Pointer, B.getInt64Ty());
  Instruction *Then =
      SplitBlockAndInsertIfThen(B.CreateIsNotNull(value(B, Address)),
                                Check.Before->getIterator(), false, Rare);
  B.SetInsertPoint(Then);
  Value *How = B.getInt64(KST_HIT((Check.Reads ? KST_HIT_READ : 0) |
                                      (Check.Writes ? KST_HIT_WRITE : 0),
                                  Check.PartBytes, Check.BulkBytes));
  if (Value *Bytes = bytesAt(Check)) {
    // The field has 30 bits; an object has fewer bytes.
    Bytes = B.CreateZExtOrTrunc(Bytes, B.getInt64Ty());
    How = B.CreateOr(How, B.CreateShl(Bytes, 34));
  }
  if (Count)
    call(B, "__kst_hit", B.getVoidTy(), {Address, How});
  if (!Unit)
    return;
  Value *Hit = call(B, "__kst_is_hit", B.getInt64Ty(), {Address, How});
  Then = SplitBlockAndInsertIfThen(B.CreateIsNotNull(Hit), Then->getIterator(),
                                   false);
  callTrace(*Then, Check.Pointer, Check.Site, *Unit);
}

/// The struct kst_type of this unit; the linker keeps one of all units.
GlobalVariable *Shadow::type(const kst::counters::StructLayout &S) {
  const std::string Name =
      "__kst_type." + S.Name + "." + std::to_string(S.Size);
  if (GlobalVariable *Known = M.getGlobalVariable(Name))
    return Known;
  Comdat *Group = M.getOrInsertComdat(Name);
  auto Private = [&](Constant *Init, StringRef Title) {
    auto *G = new GlobalVariable(M, Init->getType(), true,
                                 GlobalValue::PrivateLinkage, Init, Title);
    G->setComdat(Group);
    return ConstantExpr::getPtrToInt(G, Type::getInt64Ty(C));
  };
  Type *U64 = Type::getInt64Ty(C), *U32 = Type::getInt32Ty(C);
  std::vector<uint32_t> Offsets, Known(2 * KST_PLACES / 32);
  if (StructType *T = StructTypes::find(C, S.Name))
    addOffsets(T, 0, M.getDataLayout(), Offsets);
  Known[KST_PLACE_STATIC / 32] = 1u << KST_PLACE_STATIC % 32;
  auto *Bits = ArrayType::get(U32, Known.size());
  auto *Layout = StructType::get(C, {U64, U64, U32, U32, U32, U32, Bits});
  auto *G = new GlobalVariable(
      M, Layout, false, GlobalValue::LinkOnceODRLinkage,
      ConstantStruct::get(
          Layout,
          {Private(ConstantDataArray::getString(C, S.Name), "__kst_name"),
           Private(ConstantDataArray::get(C, ArrayRef(Offsets)),
                   "__kst_offsets"),
           ConstantInt::get(U32, S.Size), ConstantInt::get(U32, Offsets.size()),
           ConstantInt::get(U32, 0), ConstantInt::get(U32, KST_ABI_VERSION),
           ConstantDataArray::get(C, ArrayRef(Known))}),
      Name);
  G->setVisibility(GlobalValue::HiddenVisibility);
  G->setDSOLocal(true);
  G->setComdat(Group);
  G->setSection(KST_TYPES_SECTION);
  G->setAlignment(Align(8));
  appendToCompilerUsed(M, {G});
  return G;
}

void Shadow::lesson(const TypeObservation &L,
                    const kst::counters::StructLayout &S) {
  // if (!(type->known[value / 32] >> value % 32 & 1)) __kst_learn(...);
  IRBuilder<> B(L.Before);
  locate(B, *L.Before);
  GlobalVariable *Of = type(S);
  Value *Address = B.CreateAdd(B.CreatePtrToInt(L.Base, B.getInt64Ty()),
                               B.getInt64(L.Offset));
  Value *At = B.CreateZExt(value(B, Address), B.getInt64Ty());
  Value *Word =
      B.CreateInBoundsGEP(Of->getValueType(), Of,
                          {B.getInt32(0), B.getInt32(6), B.CreateLShr(At, 5)});
  Value *Bits = load(B, B.getInt32Ty(), Word, AtomicOrdering::Monotonic);
  Value *Bit = B.CreateAnd(
      B.CreateLShr(Bits, B.CreateTrunc(B.CreateAnd(At, 31), B.getInt32Ty())),
      1);
  B.SetInsertPoint(SplitBlockAndInsertIfThen(
      B.CreateIsNull(Bit), L.Before->getIterator(), false, Rare));
  call(B, "__kst_learn", B.getVoidTy(), {Address, Of});
}

void kst::counters::insertShadowChecks(Function &F,
                                       const std::vector<Check> &Checks,
                                       bool Count, GlobalVariable *Unit) {
  if (Checks.empty())
    return;
  Shadow S(*F.getParent());
  for (const Check &C : Checks)
    S.check(C, Count, Unit);
}

void kst::counters::insertTypeObservations(
    Function &F, const std::vector<TypeObservation> &TypeObservations,
    const SiteTable &Table) {
  if (TypeObservations.empty())
    return;
  Shadow S(*F.getParent());
  for (const TypeObservation &L : TypeObservations)
    S.lesson(L, Table.Structs[L.Struct]);
}
