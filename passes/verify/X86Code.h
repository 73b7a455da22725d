// SPDX-License-Identifier: GPL-2.0-or-later
//
// The addresses that x86-64 instructions name, by LLVM's disassembler.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>

namespace kst {

class X86Code {
public:
  /// An error if this LLVM was built without x86.
  static llvm::Expected<std::unique_ptr<X86Code>> create();
  virtual ~X86Code() = default;

  /// Calls Named(instruction, address) for every constant address in an
  /// operand of the code: sym(%rip), sym, %gs:sym, sym(,%index), the targets
  /// of calls and jumps, and immediates that lie in the upper half, where
  /// kernels are. `Address` is of the first byte. Bytes that are no
  /// instruction are skipped one by one.
  virtual void visit(llvm::StringRef Code, uint64_t Address,
                     llvm::function_ref<void(uint64_t, uint64_t)> Named) = 0;
};

} // namespace kst
