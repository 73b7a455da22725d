// SPDX-License-Identifier: GPL-2.0-or-later
//
// x86-64 instructions, one by one, by LLVM's disassembler.

#ifndef KST_PASSES_DECODE_X86DECODER_H
#define KST_PASSES_DECODE_X86DECODER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"

#include <cstdint>
#include <memory>

namespace kst {

class X86Decoder {
public:
  /// Null if this LLVM was built without x86.
  static std::unique_ptr<X86Decoder> create();

  /// The instruction at the start of Code, which is at Address. Its size in
  /// bytes, 0: there is none.
  uint64_t next(llvm::ArrayRef<uint8_t> Code, uint64_t Address,
                llvm::MCInst &Found) const;
  /// LLVM's number of a register by its name in capitals; 0: none.
  unsigned registerOf(llvm::StringRef Name) const;

  const llvm::MCRegisterInfo &registers() const { return *Registers; }
  const llvm::MCInstrInfo &instructions() const { return *Instructions; }

private:
  std::unique_ptr<const llvm::MCRegisterInfo> Registers;
  std::unique_ptr<const llvm::MCAsmInfo> AsmInfo;
  std::unique_ptr<const llvm::MCInstrInfo> Instructions;
  std::unique_ptr<const llvm::MCSubtargetInfo> Subtarget;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<const llvm::MCDisassembler> Decoder;
};

} // namespace kst

#endif
