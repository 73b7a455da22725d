// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/PointerPath.h"

#include "passes/counters/Compat.h"
#include "passes/counters/DeclaredType.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <optional>

using namespace llvm;
using namespace kst::counters;

namespace {

/// The place that is looked for, relative to the value the walk has reached.
struct Place {
  int64_t Offset = 0;
  uint64_t ArrayBytes = 0; ///< as in Enclosing
  bool Scattered = false;  ///< a variable distance away: p[i]
  bool Open = false;       ///< in an array without a length: nothing ends it
};

/// What the indices of a getelementptr lead through, from its base on.
struct Descent {
  /// A struct that is entered.
  struct Level {
    StructType *Type;
    int64_t Start;
    unsigned Indices;           ///< that lead to it
    std::optional<Place> Array; ///< first array behind it whose index varies
  };
  SmallVector<Level, 4> Levels;
  int64_t Pos = 0; ///< of what it ends in, all indices that vary being 0
  Type *Last;      ///< what it ends in
  std::optional<Place> Outer;     ///< first array whose index varies
  std::optional<Place> LastArray; ///< whose element Last is
  bool VariableFirst = false;
  /// Of an array without a length the start stands for all elements.
  bool Open = false;

  void varies(int64_t Start, uint64_t Bytes, bool Open) {
    Place P{Start, Bytes, Bytes == 0, Open};
    if (!Outer)
      Outer = P;
    for (Level &L : Levels)
      if (!L.Array)
        L.Array = P;
  }
};

class Walk {
public:
  Walk(const DataLayout &Layout, uint64_t SizeBytes, PointerPath &Path)
      : Layout(Layout), SizeBytes(SizeBytes), Path(Path) {}

  const Value *step(const Value *V);

private:
  const DataLayout &Layout;
  const uint64_t SizeBytes;
  PointerPath &Path;
  Place At;
  /// The struct that the last getelementptr entered, if it entered one.
  StructType *Entered = nullptr;
  /// Bytes from the start of the struct that is found to the place, or none
  /// when the distance varies: the same object is entered once.
  void enclose(StructType *Type, Place P, const Value *Base, unsigned Indices,
               int64_t Bytes);
  Descent descend(const GEPOperator &Gep) const;
  void element(const GEPOperator &Gep);
  void object(Type *ObjectType, const Value *Base);
  bool holdsEntered(Type *Element) const;
  uint64_t size(Type *T) const {
    return T->isSized() ? Layout.getTypeAllocSize(T).getKnownMinValue() : 0;
  }
};

} // namespace

void Walk::enclose(StructType *Type, Place P, const Value *Base,
                   unsigned Indices, int64_t Bytes) {
  if (P.Scattered || P.Offset < 0)
    return;
  uint64_t Reach = P.ArrayBytes ? P.ArrayBytes : SizeBytes;
  // An array at the end may have no declared length: its start counts.
  uint64_t Size = size(Type), Offset = P.Offset;
  if (Offset > Size || (!P.Open && Offset < Size && Offset + Reach > Size) ||
      (Offset == Size && Size == 0 && Reach > 0))
    return;
  for (const Enclosing &E : Path.Structs)
    if (E.Type == Type && E.Offset == Offset)
      return;
  Path.Structs.push_back({Type, Offset, P.ArrayBytes, Base, Indices, Bytes});
}

Descent Walk::descend(const GEPOperator &Gep) const {
  Descent D;
  D.Last = Gep.getSourceElementType();
  bool First = true;
  unsigned Taken = 0;
  for (auto It = gep_type_begin(Gep), End = gep_type_end(Gep); It != End;
       ++It, ++Taken) {
    D.LastArray.reset();
    const Value *Index = It.getOperand();
    if (StructType *Struct = It.getStructTypeOrNull()) {
      D.Levels.push_back({Struct, D.Pos, Taken, std::nullopt});
      unsigned Number = cast<ConstantInt>(Index)->getZExtValue();
      D.Pos += Layout.getStructLayout(Struct)
                   ->getElementOffset(Number)
                   .getFixedValue();
      D.Last = Struct->getElementType(Number);
      continue;
    }
    Type *Element = It.getIndexedType();
    auto *Constant = dyn_cast<ConstantInt>(Index);
    auto *Array = dyn_cast<ArrayType>(D.Last);
    bool NoLength = !First && Array && Array->getNumElements() == 0;
    if (First) {
      D.VariableFirst = !Constant;
    } else {
      uint64_t Count = Array ? Array->getNumElements() : 0;
      if (!Constant)
        D.varies(D.Pos, (NoLength ? 1 : Count) * size(Element), NoLength);
      else if (Count)
        D.LastArray = Place{D.Pos, Count * size(Element), false};
      D.Last = Element;
    }
    if (NoLength)
      D.Open = true;
    else if (Constant)
      D.Pos += Constant->getSExtValue() * int64_t(size(Element));
    First = false;
  }
  return D;
}

void Walk::element(const GEPOperator &Gep) {
  const Descent D = descend(Gep);
  // What comes from behind the Gep: p[i] may be any element of what the Gep
  // names, or of the array whose element it names.
  Place Inner = At;
  auto *Array = dyn_cast<ArrayType>(D.Last);
  if (!Inner.Scattered) {
    Inner.Offset += D.Pos;
    Inner.Open |= D.Open;
  } else if (D.LastArray) {
    Inner = *D.LastArray;
  } else if (Array && Array->getNumElements() == 0) {
    uint64_t Each = size(Array->getElementType());
    Inner = Place{D.Pos, Each, Each == 0, true};
  } else {
    Inner = Place{D.Pos, size(D.Last), size(D.Last) == 0, D.Open};
  }
  // A bit-field at the start of a struct is accessed by the struct's address.
  // What follows p in memory, (struct other *)(p + 1), is no element of p.
  if (SizeBytes && (Gep.getNumIndices() > 1 || holdsEntered(D.Last)))
    object(D.Last, &Gep);
  Entered = dyn_cast<StructType>(Gep.getSourceElementType());
  for (auto L = D.Levels.rbegin(); L != D.Levels.rend(); ++L) {
    Place P = L->Array ? *L->Array : Inner;
    P.Offset -= L->Start;
    enclose(L->Type, P, &Gep, L->Indices, P.Offset);
  }
  At = D.Outer ? *D.Outer : Inner;
  Path.Scattered |= D.Outer || D.VariableFirst;
  if (D.VariableFirst)
    At = Place{0, 0, true};
}

/// Whether an element, at whose start the struct that was entered last begins,
/// can hold that struct. Unions and arrays of bytes can hold any.
bool Walk::holdsEntered(Type *Element) const {
  for (Type *T = Element; Entered && T != Entered;) {
    auto *Struct = dyn_cast<StructType>(T);
    auto *Array = dyn_cast<ArrayType>(T);
    if (Struct && Struct->hasName() && Struct->getName().starts_with("union."))
      return true;
    if (Struct && Struct->getNumElements())
      T = Struct->getElementType(0);
    else if (Array && Array->getElementType()->isIntegerTy(8))
      return true;
    else if (Array)
      T = Array->getElementType();
    else
      return false;
  }
  return true;
}

void Walk::object(Type *T, const Value *Base) {
  if (At.Scattered)
    return;
  SmallVector<std::pair<StructType *, int64_t>, 4> Found;
  int64_t Start = 0;
  uint64_t Bytes = At.ArrayBytes ? At.ArrayBytes : SizeBytes;
  while (At.Offset >= Start && T->isSized() &&
         uint64_t(At.Offset - Start) < size(T) &&
         uint64_t(At.Offset - Start) + Bytes <= size(T)) {
    uint64_t Within = At.Offset - Start;
    if (auto *Struct = dyn_cast<StructType>(T)) {
      Found.push_back({Struct, Start});
      // What lies at the start of a union can be any of its members.
      if (Struct->hasName() && Struct->getName().starts_with("union."))
        break;
      const llvm::StructLayout *L = Layout.getStructLayout(Struct);
      unsigned Number = L->getElementContainingOffset(Within);
      Start += L->getElementOffset(Number).getFixedValue();
      T = Struct->getElementType(Number);
    } else if (auto *Array = dyn_cast<ArrayType>(T)) {
      // Somewhere in this array: not its one element as a whole.
      if (At.ArrayBytes == size(T) && Within == 0)
        break;
      T = Array->getElementType();
      uint64_t Each = size(T);
      if (!Each)
        break;
      Start += Within / Each * Each;
    } else {
      break;
    }
    // All of the object: what lies inside of it is not entered.
    if (Bytes == 0)
      break;
  }
  for (auto F = Found.rbegin(); F != Found.rend(); ++F) {
    Place P = At;
    P.Offset -= F->second;
    enclose(F->first, P, Base, ~0u, At.Offset);
  }
}

bool kst::counters::isOwnLocal(const Value *Variable) {
  return isa<AllocaInst>(Variable) && !mayBeCaptured(Variable);
}

const Value *kst::counters::onlyValue(const Value *Local) {
  if (!isa<AllocaInst>(Local))
    return nullptr;
  const Value *Result = nullptr;
  for (const User *U : Local->users()) {
    if (auto *Store = dyn_cast<StoreInst>(U)) {
      if (Store->getPointerOperand() != Local || Result ||
          Store->getValueOperand() == Local)
        return nullptr;
      Result = Store->getValueOperand();
      continue;
    }
    if (isa<LoadInst>(U))
      continue;
    auto *II = dyn_cast<IntrinsicInst>(U);
    if (II && II->isLifetimeStartOrEnd())
      continue;
    return nullptr;
  }
  return Result;
}

const Value *Walk::step(const Value *V) {
  if (auto *Gep = dyn_cast<GEPOperator>(V)) {
    if (Gep->getType()->isVectorTy())
      return nullptr;
    Path.IsMember = true;
    element(*Gep);
    return Gep->getPointerOperand();
  }
  if (auto *Global = dyn_cast<GlobalVariable>(V)) {
    object(declaredType(*Global), Global);
    return nullptr;
  }
  if (auto *Alloca = dyn_cast<AllocaInst>(V)) {
    if (!Alloca->isArrayAllocation())
      object(Alloca->getAllocatedType(), Alloca);
    return nullptr;
  }
  if (auto *Given = dyn_cast<Argument>(V)) {
    if (Type *T = Given->getPointeeInMemoryValueType())
      object(T, Given);
    return nullptr;
  }
  if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(V))
    return Cast->getPointerOperand();
  if (auto *Load = dyn_cast<LoadInst>(V))
    return onlyValue(Load->getPointerOperand());
  // &variable of a thread, named address spaces: the same object.
  if (auto *II = dyn_cast<IntrinsicInst>(V))
    if (II->getIntrinsicID() == Intrinsic::threadlocal_address)
      return II->getArgOperand(0);
  if (auto *Expr = dyn_cast<ConstantExpr>(V))
    if (Expr->getOpcode() == Instruction::IntToPtr)
      if (auto *Inner = dyn_cast<ConstantExpr>(Expr->getOperand(0)))
        if (Inner->getOpcode() == Instruction::PtrToInt)
          return Inner->getOperand(0);
  return nullptr;
}

const Value *kst::counters::pointerOrigin(const Value *Pointer) {
  for (int Steps = 0; Steps != 64; ++Steps) {
    auto *Load = dyn_cast<LoadInst>(Pointer);
    if (!Load || !isa<AllocaInst>(Load->getPointerOperand()))
      return Pointer;
    const Value *Only = onlyValue(Load->getPointerOperand());
    if (!Only)
      return Load->getPointerOperand();
    Pointer = Only;
  }
  return Pointer;
}

Value *kst::counters::placeOf(const Enclosing &Of, Instruction &At,
                              const DominatorTree &Tree) {
  auto Known = [&](const Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    return !I || Tree.dominates(I, &At);
  };
  IRBuilder<> B(&At);
  Value *Base = const_cast<Value *>(Of.Base);
  if (auto *Gep = dyn_cast<GEPOperator>(Of.Base);
      Gep && Of.Indices < Gep->getNumIndices()) {
    SmallVector<Value *, 4> Indices;
    for (Value *Index :
         drop_end(Gep->indices(), Gep->getNumIndices() - Of.Indices))
      Indices.push_back(Index);
    Base = Gep->getOperand(0);
    if (!Known(Base) || !all_of(Indices, Known))
      return nullptr;
    if (!Indices.empty())
      Base = B.CreateGEP(Gep->getSourceElementType(), Base, Indices);
  }
  if (!Known(Base))
    return nullptr;
  return Of.Bytes ? B.CreateConstGEP1_64(B.getInt8Ty(), Base, Of.Bytes) : Base;
}

PointerPath kst::counters::pointerPath(const Value *Pointer, uint64_t SizeBytes,
                                       const DataLayout &Layout) {
  PointerPath Path;
  Walk W(Layout, SizeBytes, Path);
  // Dead code can hold cycles.
  for (int Steps = 0; Pointer && Steps != 64; ++Steps) {
    Path.Root = Pointer;
    Pointer = W.step(Pointer);
  }
  return Path;
}
