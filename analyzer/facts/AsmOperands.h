// SPDX-License-Identifier: GPL-2.0-or-later
//
// What inline assembly does to memory, as far as its operands and the kernel's
// conventions tell.

#pragma once

#include "hybrid/facts/Facts.h"

#include "clang/AST/Stmt.h"
#include "llvm/ADT/SmallVector.h"

namespace kst {

struct AsmOperand {
  const clang::Expr *Operand = nullptr;
  /// Read, Write or ReadWrite.
  AccessForm Kind = AccessForm::Read;
  /// Operand is a pointer in a register; whether the instructions follow it is
  /// assumed, not seen. Otherwise Operand is what is accessed.
  bool Pointer = false;
};

/// The outputs, then the inputs that touch memory. Local variables are among
/// them. A pointer in a register counts where the statement has instructions
/// and says that it changes memory; one to const reads.
llvm::SmallVector<AsmOperand, 4> asmOperands(const clang::GCCAsmStmt &Asm);

} // namespace kst
