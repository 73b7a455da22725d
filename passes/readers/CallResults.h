// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a call of an allocator is for: pointers to which structs the caller
// keeps its result in, by debug information. x86-64.

#ifndef KST_PASSES_READERS_CALLRESULTS_H
#define KST_PASSES_READERS_CALLRESULTS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class DWARFContext;
}

namespace kst {

/// A struct that the result of a call may point to.
struct ResultType {
  std::string Name; ///< tag, or typedef of a struct without one
  uint64_t SizeBytes = 0;
  bool Flexible = false; ///< its last member is an array of no length
  bool operator==(const ResultType &) const = default;
};

/// Structs, each once: those that variables and parameters point to, inlined
/// ones too, that are in a register that has the result (ResultRegisters.h).
/// `Code`: the bytes at `ReturnAddress`.
std::vector<ResultType> resultTypes(llvm::DWARFContext &Debug,
                                    uint64_t ReturnAddress,
                                    llvm::ArrayRef<uint8_t> Code);

} // namespace kst

#endif
