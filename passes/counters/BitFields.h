// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which bits a load or store is about. Clang accesses the storage unit of a
// bit-field and masks; the IR has no other word for it
// (CodeGenFunction::EmitLoadOfBitfieldLValue and EmitStoreThroughBitfieldLValue
// in clang/lib/CodeGen/CGExpr.cpp).

#pragma once

#include "llvm/IR/Instructions.h"

namespace kst::counters {

struct Bits {
  /// Never: no bit-field. Perhaps: source text on a plain member gives the
  /// same code. Surely: only a bit-field gives it.
  enum { Never, Perhaps, Surely } Belief = Never;
  unsigned First = 0, Count = 0; ///< within the storage unit
  /// Of a store: the load that it does first.
  const llvm::LoadInst *Load = nullptr;
};

/// Little-endian targets only: others have no bits.
Bits bitsRead(const llvm::LoadInst &Load);
Bits bitsWritten(const llvm::StoreInst &Store);

} // namespace kst::counters
