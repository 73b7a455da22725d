// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/DeclaredType.h"

#include "passes/counters/StructTypes.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace kst::counters;

static Type *elementOf(Type *T) {
  while (auto *Array = dyn_cast<ArrayType>(T))
    T = Array->getElementType();
  return T;
}

static bool isUnnamed(Type *T) {
  auto *Struct = dyn_cast<StructType>(elementOf(T));
  return Struct && !Struct->hasName();
}

/// Of debug information, null if it is no named struct or array of such.
static Type *typeOf(const DIType *T, LLVMContext &Context) {
  while (auto *Derived = dyn_cast_or_null<DIDerivedType>(T))
    T = Derived->getBaseType();
  auto *Composite = dyn_cast_or_null<DICompositeType>(T);
  if (!Composite)
    return nullptr;
  if (Composite->getTag() != dwarf::DW_TAG_array_type)
    return StructTypes::find(Context, Composite->getName());
  Type *Result = typeOf(Composite->getBaseType(), Context);
  DINodeArray Ranges = Composite->getElements();
  for (unsigned I = Ranges.size(); Result && I != 0; --I) {
    auto *Range = dyn_cast<DISubrange>(Ranges[I - 1]);
    auto *Count =
        Range ? dyn_cast_if_present<ConstantInt *>(Range->getCount()) : nullptr;
    Result = Count ? ArrayType::get(Result, Count->getZExtValue()) : nullptr;
  }
  return Result;
}

static Type *typeInUse(const GlobalVariable &Global, uint64_t Bytes,
                       const DataLayout &Layout) {
  int Looks = 256; // a global in heavy use that nobody names the type of
  for (const User *U : Global.users()) {
    if (!Looks--)
      break;
    auto *Gep = dyn_cast<GEPOperator>(U);
    if (!Gep || Gep->getPointerOperand() != &Global)
      continue;
    Type *T = Gep->getSourceElementType();
    if (!isUnnamed(T) && isa<StructType>(elementOf(T)) && T->isSized() &&
        Layout.getTypeAllocSize(T) == Bytes)
      return T;
  }
  return nullptr;
}

Type *kst::counters::declaredType(const GlobalVariable &Global) {
  Type *Value = Global.getValueType();
  if (!isUnnamed(Value))
    return Value;
  const DataLayout &Layout = Global.getParent()->getDataLayout();
  uint64_t Bytes = Layout.getTypeAllocSize(Value);
  SmallVector<DIGlobalVariableExpression *, 1> Debug;
  Global.getDebugInfo(Debug);
  for (const DIGlobalVariableExpression *E : Debug)
    if (Type *T = typeOf(E->getVariable()->getType(), Global.getContext());
        T && T->isSized() && Layout.getTypeAllocSize(T) == Bytes)
      return T;
  Type *T = typeInUse(Global, Bytes, Layout);
  return T ? T : Value;
}
