// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Accesses.h"

#include "passes/counters/AsmOperands.h"
#include "passes/counters/BitFields.h"
#include "passes/counters/PointerPath.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <tuple>

using namespace llvm;
using namespace kst::counters;

namespace {

/// An access before the evidence about bit-fields is in.
struct Found {
  Instruction *Where;
  Value *Pointer;
  uint64_t Size;
  uint32_t Kind, Marks;
  Bits Unit;
  SmallVector<std::pair<uint32_t, Enclosing>, 2> Selected;
  /// Of a selected struct that may itself be part of another: its size. 0:
  /// no look-up by address, or none besides.
  uint32_t PartBytes = 0;
};

class Finder {
public:
  Finder(Module &M, const Options &O, SiteTable &Table)
      : M(M), Layout(M.getDataLayout()), O(O), Types(M, O, Table),
        Table(Table) {}

  std::vector<std::pair<Function *, FunctionAccesses>> run();

private:
  Module &M;
  const DataLayout &Layout;
  const Options &O;
  StructTypes Types;
  SiteTable &Table;
  std::vector<Found> Now; ///< of the function that is looked at
  /// The struct that a pointer of this function points to, as its uses say;
  /// null where they disagree. By pointerOrigin().
  DenseMap<const Value *, StructType *> Pointees;

  /// What the unit's code says of one storage unit: struct, offset, size.
  struct Evidence {
    bool Plain = false, BitField = false;
  };
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, Evidence> Units;

  void learnPointees(Function &F);
  void look(Instruction &I);
  void lookAtCall(CallBase &Call);
  void add(Instruction &I, Value *Pointer, uint64_t Size, uint32_t Kind,
           uint32_t Marks, Bits Unit = {});
  bool byAddress(const PointerPath &Path, uint32_t Kind) const;
  void addAddress(Instruction &I, Value *Pointer, uint32_t Marks = 0);
  void weigh(const Found &F);
  /// Whether nobody looks at it: in a trace a local variable of which nobody
  /// else has the address, else any.
  bool isUnseen(const Value *Root) const {
    return O.Trace ? isOwnLocal(Root) : isa<AllocaInst>(Root);
  }
  bool isBitField(const Found &F, uint32_t Struct, uint64_t Offset) const;
  Site siteOf(Function &F, const Found &A, uint32_t Struct, const Enclosing &E,
              bool DoneFirst);
  FunctionAccesses enter(Function &F, std::vector<Found> &All);
};

} // namespace

void Finder::add(Instruction &I, Value *Pointer, uint64_t Size, uint32_t Kind,
                 uint32_t Marks, Bits Unit) {
  PointerPath Path = pointerPath(Pointer, Size, Layout);
  // `*a = *b` has no getelementptr: other uses of a say what it is.
  if (Path.Structs.empty() && Size && !isa<GEPOperator>(Pointer))
    if (StructType *T = Pointees.lookup(pointerOrigin(Pointer));
        T && Layout.getTypeAllocSize(T) == Size)
      Path.Structs.push_back({T, 0, 0});
  Found F{&I, Pointer, Size, Kind, Marks, Unit, {}};
  for (const Enclosing &E : Path.Structs)
    if (uint32_t Number = Types.number(E.Type); Number != NoStruct)
      F.Selected.push_back({Number, E});
  const bool LookUp =
      byAddress(Path, Kind) || (O.all() && F.Selected.empty() &&
                                Kind != Address && !isUnseen(Path.Root));
  if (LookUp && !F.Selected.empty())
    F.PartBytes = Layout.getTypeAllocSize(Path.Structs.back().Type);
  if (LookUp || !F.Selected.empty())
    Now.push_back(std::move(F));
}

void Finder::learnPointees(Function &F) {
  Pointees.clear();
  for (Instruction &I : instructions(F)) {
    auto *Gep = dyn_cast<GetElementPtrInst>(&I);
    auto *Type =
        Gep ? dyn_cast<StructType>(Gep->getSourceElementType()) : nullptr;
    if (!Type || isa<GEPOperator>(Gep->getPointerOperand()))
      continue;
    auto [It, New] =
        Pointees.try_emplace(pointerOrigin(Gep->getPointerOperand()), Type);
    if (!New && It->second != Type)
      It->second = nullptr;
  }
}

/// Could this be a part of an object of a selected struct, as far as types go?
bool Finder::byAddress(const PointerPath &Path, uint32_t Kind) const {
  if (O.ByAddress == Options::Off || Kind == Address ||
      isa<Constant, AllocaInst>(Path.Root))
    return false;
  if (!Path.Structs.empty())
    return Types.isEmbedded(Path.Structs.back().Type);
  return O.ByAddress == Options::On || !Path.Scattered;
}

void Finder::addAddress(Instruction &I, Value *Pointer, uint32_t Marks) {
  if (!Pointer->getType()->isPointerTy() || isa<AllocaInst>(Pointer))
    return;
  if (pointerPath(Pointer, 0, Layout).IsMember)
    add(I, Pointer, 0, Address, Marks);
}

void Finder::look(Instruction &I) {
  auto Size = [&](Type *T) -> uint64_t {
    return Layout.getTypeStoreSize(T).getKnownMinValue();
  };
  auto Marks = [](const auto &A) -> uint32_t {
    return A.isVolatile() * Volatile | A.isAtomic() * Atomic;
  };
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    bool Bulk = Load->getType()->isAggregateType();
    add(I, Load->getPointerOperand(), Size(Load->getType()),
        Bulk ? BulkRead : Read, Marks(*Load), bitsRead(*Load));
  } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Type *T = Store->getValueOperand()->getType();
    add(I, Store->getPointerOperand(), Size(T),
        T->isAggregateType() ? BulkWrite : Write, Marks(*Store),
        bitsWritten(*Store));
    // Another name for it is not a copy of it.
    if (!onlyValue(Store->getPointerOperand()))
      addAddress(I, Store->getValueOperand());
  } else if (auto *Rmw = dyn_cast<AtomicRMWInst>(&I)) {
    add(I, Rmw->getPointerOperand(), Size(Rmw->getValOperand()->getType()),
        ReadWrite, Atomic | Rmw->isVolatile() * Volatile);
  } else if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I)) {
    add(I, Swap->getPointerOperand(),
        Size(Swap->getCompareOperand()->getType()), ReadWrite,
        Atomic | Swap->isVolatile() * Volatile);
  } else if (auto *Call = dyn_cast<CallBase>(&I)) {
    lookAtCall(*Call);
  } else if (auto *Return = dyn_cast<ReturnInst>(&I)) {
    if (Return->getReturnValue())
      addAddress(I, Return->getReturnValue());
  }
}

void Finder::lookAtCall(CallBase &Call) {
  if (isa<DbgInfoIntrinsic>(Call))
    return;
  if (auto *Mem = dyn_cast<MemIntrinsic>(&Call)) {
    auto *Length = dyn_cast<ConstantInt>(Mem->getLength());
    uint64_t Bytes = Length ? Length->getZExtValue() : 0;
    if (Length && !Bytes)
      return;
    uint32_t Marks = Mem->isVolatile() * Volatile;
    if (auto *Copy = dyn_cast<MemTransferInst>(Mem))
      add(Call, Copy->getRawSource(), Bytes, BulkRead, Marks);
    add(Call, Mem->getRawDest(), Bytes, BulkWrite, Marks);
    return;
  }
  if (isa<IntrinsicInst>(Call))
    return;
  if (Call.isInlineAsm()) {
    for (const AsmOperand &Op : asmOperands(Call, Layout)) {
      if (Op.Access == AsmOperand::Register)
        addAddress(Call, Op.Pointer, Asm);
      else
        add(Call, Op.Pointer, Op.Size,
            Op.Access == AsmOperand::Read    ? Read
            : Op.Access == AsmOperand::Write ? Write
                                             : ReadWrite,
            Asm);
    }
    return;
  }
  for (unsigned I = 0; I != Call.arg_size(); ++I) {
    Value *Argument = Call.getArgOperand(I);
    if (Type *T = Call.getParamByValType(I))
      add(Call, Argument, Layout.getTypeStoreSize(T).getKnownMinValue(),
          BulkRead, 0);
    else
      addAddress(Call, Argument);
  }
}

void Finder::weigh(const Found &F) {
  if (F.Kind != Read && F.Kind != Write && F.Kind != ReadWrite)
    return;
  for (const auto &[Struct, E] : F.Selected) {
    Evidence &Unit = Units[{Struct, E.Offset, F.Size}];
    // A load that a store of bits does first tells nothing by itself.
    if (F.Unit.Belief == Bits::Surely)
      Unit.BitField = true;
    else if (F.Unit.Belief == Bits::Never)
      Unit.Plain = true;
  }
}

bool Finder::isBitField(const Found &F, uint32_t Struct,
                        uint64_t Offset) const {
  const Evidence &Unit = Units.at({Struct, Offset, F.Size});
  switch (F.Unit.Belief) {
  case Bits::Never:
    return false;
  case Bits::Surely:
    return true;
  case Bits::Perhaps:
    // `member &= ~1` of a plain member must not lose its read.
    return F.Kind == Write ? Unit.BitField : Unit.BitField || !Unit.Plain;
  }
  return false;
}

Site kst::counters::siteAt(const Function &F, const Instruction *Where,
                           SiteTable &Table) {
  Site S;
  StringRef File = Table.MainFile;
  uint32_t Line = 0;
  if (const DISubprogram *Sub = F.getSubprogram()) {
    File = Sub->getFilename();
    Line = Sub->getLine();
  }
  S.Function = Table.function(F.getName().str(), File.str(), Line);
  S.File = File.str();
  S.Line = Where ? 0 : Line;
  if (Where)
    if (const DILocation *At = Where->getDebugLoc().get()) {
      S.File = At->getFilename().str();
      S.Line = At->getLine();
      S.Column = At->getColumn();
    }
  return S;
}

/// DoneFirst: the access is the load that a store of bits does first.
Site Finder::siteOf(Function &F, const Found &A, uint32_t Struct,
                    const Enclosing &E, bool DoneFirst) {
  Site S = siteAt(F, A.Where, Table);
  S.Struct = Struct;
  S.Offset = E.Offset;
  S.Size = E.ArrayBytes ? E.ArrayBytes : A.Size;
  if (E.ArrayBytes)
    S.Element = std::max<uint64_t>(A.Size, 1);
  S.Kind = A.Kind;
  S.Marks = A.Marks;
  if (DoneFirst) {
    S.Marks |= BitFieldRead;
  } else if (!E.ArrayBytes && A.Unit.Belief != Bits::Never &&
             isBitField(A, Struct, E.Offset)) {
    S.Offset += A.Unit.First / 8;
    S.FirstBit = A.Unit.First % 8;
    S.Bits = A.Unit.Count;
    S.Size = (S.FirstBit + S.Bits + 7) / 8;
  }
  return S;
}

FunctionAccesses Finder::enter(Function &F, std::vector<Found> &All) {
  // Loads that belong to a store of bits.
  DenseSet<std::pair<const Instruction *, uint32_t>> First;
  for (const Found &A : All)
    if (A.Unit.Load)
      for (const auto &[Struct, E] : A.Selected)
        if (isBitField(A, Struct, E.Offset))
          First.insert({A.Unit.Load, Struct});
  FunctionAccesses Result;
  std::optional<DominatorTree> Tree; // of a function that has arrays
  // Where the runtime learns of objects: once for each pointer and block.
  const bool Learns = O.Kernel && !O.Naive && O.ByAddress == Options::On;
  DenseSet<std::tuple<const BasicBlock *, const Value *, uint32_t>> Learned;
  for (const Found &A : All) {
    const bool Needed = O.Trace || (O.ByAddress != Options::Off &&
                                    (A.Selected.empty() || A.Kind == Address));
    Value *Pointer = Needed ? A.Pointer : nullptr;
    if (A.Selected.empty() || A.PartBytes) {
      Site S = siteAt(F, A.Where, Table);
      S.Offset = A.PartBytes;
      S.Size = A.Size;
      S.Kind = A.Kind == Read || A.Kind == BulkRead     ? ByAddressRead
               : A.Kind == Write || A.Kind == BulkWrite ? ByAddressWrite
                                                        : ByAddressBoth;
      S.Marks = A.Marks;
      // Counted where it stands; a trace has the address.
      const bool Counted = O.all() && !O.Trace;
      Result.push_back({A.Where, Table.site(S), Counted ? nullptr : A.Pointer});
    }
    for (const auto &[Struct, E] : A.Selected) {
      Site S = siteOf(F, A, Struct, E, First.contains({A.Where, Struct}));
      Result.push_back({A.Where, Table.site(S), Pointer});
      if (O.Trace && E.ArrayBytes && !isa<AllocaInst>(A.Pointer)) {
        if (!Tree)
          Tree.emplace(F);
        Result.back().Place = placeOf(E, *A.Where, *Tree);
      }
      if (!Learns || E.ArrayBytes || S.Offset != E.Offset)
        continue;
      const Value *Root = pointerPath(A.Pointer, A.Size, Layout).Root;
      if (!isa<Constant, AllocaInst>(Root) &&
          Learned.insert({A.Where->getParent(), pointerOrigin(Root), Struct})
              .second)
        Result.push_back({A.Where, Table.site(S), A.Pointer, nullptr, true});
    }
  }
  return Result;
}

std::vector<std::pair<Function *, FunctionAccesses>> Finder::run() {
  std::vector<std::pair<Function *, std::vector<Found>>> All;
  for (Function &F : M) {
    Now.clear();
    learnPointees(F);
    for (Instruction &I : instructions(F))
      look(I);
    DenseSet<const Instruction *> First;
    for (const Found &A : Now)
      if (A.Unit.Load)
        First.insert(A.Unit.Load);
    for (const Found &A : Now)
      if (!First.contains(A.Where))
        weigh(A);
      else // an entry, but no evidence
        for (const auto &[Struct, E] : A.Selected)
          Units[{Struct, E.Offset, A.Size}];
    if (!Now.empty())
      All.push_back({&F, std::move(Now)});
  }
  std::vector<std::pair<Function *, FunctionAccesses>> Result;
  for (auto &[F, Accesses] : All)
    Result.push_back({F, enter(*F, Accesses)});
  return Result;
}

std::vector<std::pair<Function *, FunctionAccesses>>
kst::counters::findAccesses(Module &M, const Options &O, SiteTable &Table) {
  return Finder(M, O, Table).run();
}
