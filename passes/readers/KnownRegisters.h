// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which registers hold a known address, while code is read from top to bottom.
// x86-64, by LLVM's disassembler.

#ifndef KST_PASSES_READERS_KNOWNREGISTERS_H
#define KST_PASSES_READERS_KNOWNREGISTERS_H

#include "passes/decode/X86Decoder.h"

#include <map>
#include <optional>
#include <vector>

namespace kst {

/// A memory operand: base + scale * index + displacement.
struct MemoryOperand {
  unsigned Base = 0, Index = 0, Segment = 0; ///< LLVM's numbers; 0: none
  int64_t Scale = 1, Displacement = 0;
};

/// That which begins at operand I of the instruction; none if another one does.
std::optional<MemoryOperand> memoryOperand(const llvm::MCInst &Of, unsigned I);

/// What registers can come to hold.
enum class KnownValues : char {
  Addresses, ///< those that instructions name
  Offsets,   ///< only sums with what was set: distances from an argument
};

/// Jumps into the code that was read are not followed: what a register holds is
/// what the instructions above put there. Behind a call only the registers that
/// functions keep are known, behind code that does not go on none.
class KnownRegisters {
public:
  /// Decoder outlives this.
  KnownRegisters(const X86Decoder &Decoder, KnownValues Are);

  std::optional<uint64_t> of(unsigned Register) const;
  void set(unsigned Register, uint64_t Address) { Known[Register] = Address; }
  void clear() { Known.clear(); }
  bool empty() const { return Known.empty(); }
  /// Where the operand is without what is not known of it: by its base, or by
  /// an index that is added as it is. Next: the address of the next
  /// instruction.
  std::optional<uint64_t> addressOf(const MemoryOperand &Of,
                                    uint64_t Next) const;
  /// Takes over what the instruction does; Next as above.
  void step(const llvm::MCInst &Of, uint64_t Next);

private:
  void overwrite(unsigned Register);
  std::optional<uint64_t> result(const llvm::MCInst &Of,
                                 const llvm::MCInstrDesc &What,
                                 uint64_t Next) const;

  const X86Decoder &Decoder;
  KnownValues Are;
  unsigned Rip;
  std::vector<unsigned> LostByCalls;
  std::map<unsigned, uint64_t> Known; ///< by registers of 64 bits
};

} // namespace kst

#endif
