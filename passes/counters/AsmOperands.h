// SPDX-License-Identifier: GPL-2.0-or-later
//
// What inline assembly does to memory, as far as its constraints say.

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstrTypes.h"

namespace kst::counters {

struct AsmOperand {
  enum { Read, Write, Both, Register } Access;
  llvm::Value *Pointer;
  uint64_t Size; ///< bytes; 0 for Register
};

/// Memory operands and pointers in registers, in the order of the arguments.
/// `+m` is one operand, read and written. None for an empty text: a barrier
/// for the compiler that touches nothing.
llvm::SmallVector<AsmOperand, 4> asmOperands(const llvm::CallBase &Call,
                                             const llvm::DataLayout &Layout);

} // namespace kst::counters
