// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the result of a call goes in the code behind it, by LLVM's
// disassembler. x86-64.

#ifndef KST_PASSES_READERS_RESULTREGISTERS_H
#define KST_PASSES_READERS_RESULTREGISTERS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <set>
#include <vector>

namespace kst {

/// Registers that hold the result at an instruction, as DWARF numbers them.
struct ResultPlace {
  uint64_t Address = 0;
  std::set<unsigned> Registers;
};

/// From the address that the call returns to straight on, until the next call,
/// jump or end, or until no register has it. `Code`: the bytes there. One place
/// for each instruction; empty if this LLVM knows no x86.
std::vector<ResultPlace> resultRegisters(uint64_t ReturnAddress,
                                         llvm::ArrayRef<uint8_t> Code);

} // namespace kst

#endif
