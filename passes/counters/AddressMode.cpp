// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/AddressMode.h"

#include "passes/abi/kst_abi.h"
#include "passes/counters/Markers.h"
#include "passes/counters/PointerPath.h"
#include "passes/counters/RuntimeCalls.h"
#include "passes/counters/StructTypes.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace kst::counters;

namespace {

/// A pointer as a value and a constant distance from it.
struct Based {
  const Value *Base;
  int64_t Offset;
};

/// Where a struct starts, relative to a value.
struct Start {
  uint32_t Struct;
  int64_t Offset;
};

} // namespace

static Based based(const Value *Pointer, const DataLayout &Layout) {
  APInt Offset(Layout.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(
      Layout, Offset, /*AllowNonInbounds=*/true);
  return {Base, Offset.getSExtValue()};
}

/// The one site of a segment of a marker with a pointer.
static const Site &siteOf(int64_t Number, const SiteTable &Table) {
  return Table.Sites[Table.Segments[Number].begin()->first];
}

static void resolve(Instruction &Marker, const Site &Was, uint32_t Struct,
                    uint64_t Offset, SiteTable &Table) {
  Site S = Was;
  S.Struct = Struct;
  S.Offset = Offset;
  S.Kind = Was.Kind == ByAddressRead    ? Read
           : Was.Kind == ByAddressWrite ? Write
                                        : ReadWrite;
  Table.Segments.push_back({{Table.site(S), 1}});
  resolveMarker(Marker, Table.Segments.size() - 1);
}

std::vector<Check> kst::counters::resolvePointers(Function &F, const Options &O,
                                                  SiteTable &Table) {
  const DataLayout &Layout = F.getParent()->getDataLayout();
  StructTypes Types(*F.getParent(), O, Table);
  DenseMap<const Value *, SmallVector<Start, 2>> Known;
  SmallVector<Instruction *> ByAddress;
  for (Instruction &I : instructions(F)) {
    int64_t Number = markedSegment(I);
    Value *Pointer = Number < 0 ? nullptr : markedPointer(I);
    if (!Pointer)
      continue;
    if (isTypeObservation(Table.Segments[Number]))
      continue;
    const Site &S = siteOf(Number, Table);
    if (isByAddress(S.Kind)) {
      ByAddress.push_back(&I);
    } else if (S.Kind == Address && S.Size == 0) {
      Based P = based(Pointer, Layout);
      Start At{S.Struct, P.Offset - int64_t(S.Offset)};
      auto &Starts = Known[P.Base];
      if (none_of(Starts, [&](const Start &Other) {
            return Other.Struct == At.Struct && Other.Offset == At.Offset;
          }))
        Starts.push_back(At);
    }
  }

  std::vector<Check> Checks;
  for (Instruction *I : ByAddress) {
    const int64_t Number = markedSegment(*I);
    const Site S = siteOf(Number, Table);
    Value *Pointer = markedPointer(*I);
    Based P = based(Pointer, Layout);
    // Through the type of a selected struct: as such it is counted already.
    auto isCounted = [&](uint32_t Struct) {
      return S.Offset && Table.Structs[Struct].Size == S.Offset;
    };
    const uint32_t First = Table.Segments[Number].begin()->first;
    auto lookUp = [&](uint64_t PartBytes) {
      Checks.push_back({behindMarkers(*I), Pointer, S.Kind != ByAddressWrite,
                        S.Kind != ByAddressRead, First, PartBytes,
                        S.Size > 16 ? S.Size : 0});
    };
    // Counted as part of that struct now; it may itself be part of another.
    auto lookUpOuter = [&](uint32_t Struct) {
      StructType *T =
          StructTypes::find(F.getContext(), Table.Structs[Struct].Name);
      if (O.ByAddress == Options::On && !S.Offset && T && Types.isEmbedded(T))
        lookUp(Table.Structs[Struct].Size);
    };
    bool Done = false;
    for (const Start &At : Known.lookup(P.Base)) {
      int64_t Offset = P.Offset - At.Offset;
      if (Done || isCounted(At.Struct) || Offset < 0 ||
          Offset + S.Size > Table.Structs[At.Struct].Size)
        continue;
      lookUpOuter(At.Struct);
      resolve(*I, S, At.Struct, Offset, Table);
      Done = true;
    }
    if (Done)
      continue;
    const Value *Object = getUnderlyingObject(Pointer);
    if (isa<GlobalVariable>(Object))
      for (const Enclosing &E : pointerPath(Pointer, S.Size, Layout).Structs)
        if (uint32_t Struct = Types.number(E.Type); Struct != NoStruct &&
                                                    !isCounted(Struct) &&
                                                    !E.ArrayBytes && !Done) {
          resolve(*I, S, Struct, E.Offset, Table);
          Done = true;
        }
    if (Done || isa<AllocaInst, Constant>(Object) || O.ByAddress != Options::On)
      continue;
    lookUp(S.Offset);
  }
  return Checks;
}

namespace {

/// The code of look-ups in a program.
class Lookup {
public:
  explicit Lookup(Module &M) : C(M.getContext()) {
    Type *U64 = Type::getInt64Ty(C), *U32 = Type::getInt32Ty(C);
    Page = StructType::get(C, {U64, U64, U64, U32, U32});
    Pages = cast<GlobalVariable>(M.getOrInsertGlobal(
        "__kst_pages",
        ArrayType::get(Page, (1u << KST_PAGE_BITS) * KST_PAGE_WAYS)));
  }
  void insert(const Check &Check, bool Count, GlobalVariable *Unit);

private:
  LLVMContext &C;
  StructType *Page;
  GlobalVariable *Pages;

  void step(IRBuilder<> &B, Value *Counts, Value *Index, bool Write);
  Value *field(IRBuilder<> &B, Value *Slot, unsigned Number) {
    Value *At = B.CreateStructGEP(Page, Slot, Number);
    // The runtime fills slots while code runs.
    LoadInst *Load = B.CreateLoad(Page->getElementType(Number), At);
    Load->setAtomic(AtomicOrdering::Monotonic);
    return Load;
  }
};

} // namespace

void Lookup::step(IRBuilder<> &B, Value *Counts, Value *Offset, bool Write) {
  Value *At = B.CreateAdd(
      Counts, B.CreateAdd(B.CreateShl(Offset, 4), B.getInt64(Write ? 8 : 0)));
  B.CreateAtomicRMW(AtomicRMWInst::Add, B.CreateIntToPtr(At, B.getPtrTy()),
                    B.getInt64(1), Align(8), AtomicOrdering::Monotonic);
}

void Lookup::insert(const Check &Check, bool Count, GlobalVariable *Unit) {
  // if (slot->page) for (way = 0; way != WAYS && slot->page; ++way, ++slot)
  //   if (slot->page == page && address - slot->base < slot->size)
  //     { ++counts; break; }
  IRBuilder<> B(Check.Before);
  Value *Address = B.CreatePtrToInt(Check.Pointer, B.getInt64Ty());
  Value *Number = B.CreateLShr(Address, 12);
  Value *Hash =
      B.CreateLShr(B.CreateMul(Number, B.getInt64(0x9e3779b97f4a7c15ull)),
                   64 - KST_PAGE_BITS);
  Value *First = B.CreateInBoundsGEP(
      Page, Pages, B.CreateMul(Hash, B.getInt64(KST_PAGE_WAYS)));
  MDNode *Rare = MDBuilder(C).createBranchWeights(1, 1000);
  Instruction *Then =
      SplitBlockAndInsertIfThen(B.CreateIsNotNull(field(B, First, 0)),
                                Check.Before->getIterator(), false, Rare);
  BasicBlock *Enter = Then->getParent(), *After = Then->getSuccessor(0);
  Function *F = Enter->getParent();
  auto *Loop = BasicBlock::Create(C, "", F, After);
  auto *Compare = BasicBlock::Create(C, "", F, After);
  auto *Range = BasicBlock::Create(C, "", F, After);
  auto *Hit = BasicBlock::Create(C, "", F, After);
  auto *Next = BasicBlock::Create(C, "", F, After);
  Then->setSuccessor(0, Loop);

  B.SetInsertPoint(Loop);
  PHINode *Way = B.CreatePHI(B.getInt64Ty(), 2);
  Way->addIncoming(B.getInt64(0), Enter);
  Value *Slot = B.CreateInBoundsGEP(Page, First, Way);
  Value *Found = field(B, Slot, 0);
  B.CreateCondBr(B.CreateIsNull(Found), After, Compare);
  B.SetInsertPoint(Compare);
  B.CreateCondBr(B.CreateICmpEQ(Found, Number), Range, Next);
  B.SetInsertPoint(Range);
  Value *Offset = B.CreateSub(Address, field(B, Slot, 1));
  Value *Size = B.CreateZExt(field(B, Slot, 3), B.getInt64Ty());
  Value *Inside = B.CreateICmpULT(Offset, Size);
  if (Check.PartBytes)
    Inside =
        B.CreateAnd(Inside, B.CreateICmpNE(Size, B.getInt64(Check.PartBytes)));
  B.CreateCondBr(Inside, Hit, Next);
  B.SetInsertPoint(Hit);
  if (Count) {
    Value *Counts = field(B, Slot, 2);
    for (bool Write : {false, true})
      if (Write ? Check.Writes : Check.Reads)
        step(B, Counts, Offset, Write);
  }
  Instruction *End = B.CreateBr(After);
  if (Unit)
    callTrace(*End, Check.Pointer, Check.Site, *Unit);
  B.SetInsertPoint(Next);
  Value *Following = B.CreateAdd(Way, B.getInt64(1));
  Way->addIncoming(Following, Next);
  B.CreateCondBr(B.CreateICmpEQ(Following, B.getInt64(KST_PAGE_WAYS)), After,
                 Loop);
}

void kst::counters::insertChecks(Function &F, const std::vector<Check> &Checks,
                                 bool Count, GlobalVariable *Unit) {
  if (Checks.empty())
    return;
  Lookup L(*F.getParent());
  for (const Check &C : Checks)
    L.insert(C, Count, Unit);
}
