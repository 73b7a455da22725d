// SPDX-License-Identifier: GPL-2.0-or-later
//
// What functions load and store through their arguments, a lock for instance.
// x86-64.

#ifndef KST_PASSES_READERS_ARGUMENTUSES_H
#define KST_PASSES_READERS_ARGUMENTUSES_H

#include "passes/decode/X86Decoder.h"

#include "llvm/ADT/DenseSet.h"

#include <compare>
#include <map>
#include <optional>
#include <vector>

namespace kst {

/// Bytes of what the argument points to, by instructions of one function.
struct ArgumentUse {
  int64_t OffsetBytes = 0;
  bool Load = false, Store = false, Indexed = false;
};

struct FunctionBytes {
  uint64_t Address = 0;
  llvm::ArrayRef<uint8_t> Code;
};

class ArgumentUses {
public:
  /// Decoder and the bytes outlive this.
  ArgumentUses(const X86Decoder &Decoder, std::vector<FunctionBytes> Functions);

  bool isFunction(uint64_t Address) const { return Begins.contains(Address); }
  /// Registers of arguments, LLVM's numbers.
  llvm::ArrayRef<unsigned> registers() const { return Registers; }
  /// Of the function that begins there, each offset once, ascending; none if no
  /// function begins there. `Argument`: 0 to 5. Functions that it passes the
  /// argument on to count as well, three deep.
  const std::vector<ArgumentUse> &of(uint64_t Function, unsigned Argument);

private:
  struct Question {
    uint64_t Function = 0;
    unsigned Argument = 0, Depth = 0;
    friend auto operator<=>(const Question &, const Question &) = default;
  };
  const std::vector<ArgumentUse> &answer(Question Asked);
  std::vector<ArgumentUse> read(Question Asked, llvm::ArrayRef<uint8_t> Code);

  const X86Decoder &Decoder;
  std::vector<unsigned> Registers;
  std::map<uint64_t, llvm::ArrayRef<uint8_t>> Functions;
  llvm::DenseSet<uint64_t> Begins;
  std::map<Question, std::vector<ArgumentUse>> Read;
};

/// Where a direct call or jump goes, by the address of the next instruction.
std::optional<uint64_t> directTarget(const X86Decoder &Decoder,
                                     const llvm::MCInst &Of, uint64_t Next);

} // namespace kst

#endif
