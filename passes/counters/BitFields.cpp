// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/BitFields.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kst::counters;

static bool canBe(const Instruction &I, const Type *T) {
  // Clang gives type information to all but bit-fields, if to any. Units of
  // packed structs can be of any width.
  return T->isIntegerTy() && !I.hasMetadata(LLVMContext::MD_tbaa) &&
         !I.isAtomic() && I.getModule()->getDataLayout().isLittleEndian();
}

static Bits bits(decltype(Bits::Belief) Belief, unsigned First, unsigned Count,
                 const LoadInst *Load = nullptr) {
  Bits B;
  B.Belief = Belief;
  B.First = First;
  B.Count = Count;
  B.Load = Load;
  return B;
}

Bits kst::counters::bitsRead(const LoadInst &Load) {
  if (!canBe(Load, Load.getType()) || !Load.hasOneUse())
    return {};
  const unsigned Width = Load.getType()->getIntegerBitWidth();
  const User *Use = *Load.user_begin();
  const APInt *C;
  if (match(Use, m_And(m_Specific(&Load), m_APInt(C))) && C->isMask() &&
      !C->isAllOnes())
    return bits(Bits::Perhaps, 0, C->countr_one());
  if (match(Use, m_AShr(m_Specific(&Load), m_APInt(C))) && C->ult(Width) &&
      !C->isZero())
    return bits(Bits::Perhaps, C->getZExtValue(), Width - C->getZExtValue());
  if (match(Use, m_LShr(m_Specific(&Load), m_APInt(C))) && C->ult(Width) &&
      !C->isZero()) {
    unsigned First = C->getZExtValue();
    if (Use->hasOneUse() &&
        match(*Use->user_begin(), m_And(m_Specific(Use), m_APInt(C))) &&
        C->isMask() && C->countr_one() < Width - First)
      return bits(Bits::Perhaps, First, C->countr_one());
    return bits(Bits::Perhaps, First, Width - First);
  }
  if (match(Use, m_Shl(m_Specific(&Load), m_APInt(C))) && C->ult(Width) &&
      Use->hasOneUse()) {
    unsigned Left = C->getZExtValue();
    if (match(*Use->user_begin(), m_AShr(m_Specific(Use), m_APInt(C))) &&
        C->ult(Width) && C->uge(Left) && !C->isZero())
      return bits(Bits::Surely, C->getZExtValue() - Left,
                  Width - C->getZExtValue());
  }
  return {};
}

Bits kst::counters::bitsWritten(const StoreInst &Store) {
  const Value *Stored = Store.getValueOperand();
  if (!canBe(Store, Stored->getType()))
    return {};
  // unit = (unit & ~mask) | (value << first); without the | when value is 0.
  const Value *Kept, *Loaded, *Added = nullptr;
  const APInt *C;
  bool Or = match(Stored, m_Or(m_Value(Kept), m_Value(Added)));
  if (!Or)
    Kept = Stored;
  if (!match(Kept, m_And(m_Value(Loaded), m_APInt(C))))
    return {};
  auto *Load = dyn_cast<LoadInst>(Loaded);
  if (!Load || Load->getPointerOperand() != Store.getPointerOperand() ||
      Load->getParent() != Store.getParent() || !Load->hasOneUse() ||
      !canBe(*Load, Load->getType()))
    return {};
  APInt Mask = ~*C;
  if (!Mask.isShiftedMask() || Mask.isAllOnes())
    return {};
  // A bit-field's value is cut to its bits first. `flags = (flags & ~8) | x` on
  // a plain member of a global is not: the read is one of the source.
  if (Or && !MaskedValueIsZero(Added, ~Mask, Store.getDataLayout()))
    return {};
  return bits(Or ? Bits::Surely : Bits::Perhaps, Mask.countr_zero(),
              Mask.popcount(), Load);
}
