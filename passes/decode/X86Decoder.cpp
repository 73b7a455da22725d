// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/decode/X86Decoder.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

// Declared here so that no header has to be there for every target of LLVM.
extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86Disassembler();
}

namespace kst {

/// LLVM 22 asks for the triple itself where LLVM 19 takes its text.
#if LLVM_VERSION_MAJOR >= 22
static const llvm::Triple &nameOf(const llvm::Triple &T) { return T; }
#else
static const std::string &nameOf(const llvm::Triple &T) { return T.str(); }
#endif

std::unique_ptr<X86Decoder> X86Decoder::create() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
  const llvm::Triple Triple("x86_64-unknown-linux-gnu");
  std::string Error;
  const llvm::Target *Target =
      llvm::TargetRegistry::lookupTarget(nameOf(Triple), Error);
  if (!Target)
    return nullptr;
  auto Made = std::make_unique<X86Decoder>();
  Made->Registers.reset(Target->createMCRegInfo(nameOf(Triple)));
  Made->AsmInfo.reset(
      Target->createMCAsmInfo(*Made->Registers, nameOf(Triple), {}));
  Made->Instructions.reset(Target->createMCInstrInfo());
  Made->Subtarget.reset(Target->createMCSubtargetInfo(nameOf(Triple), "", ""));
  Made->Context = std::make_unique<llvm::MCContext>(Triple, Made->AsmInfo.get(),
                                                    Made->Registers.get(),
                                                    Made->Subtarget.get());
  Made->Decoder.reset(
      Target->createMCDisassembler(*Made->Subtarget, *Made->Context));
  return Made->Decoder ? std::move(Made) : nullptr;
}

uint64_t X86Decoder::next(llvm::ArrayRef<uint8_t> Code, uint64_t Address,
                          llvm::MCInst &Found) const {
  Found.clear();
  uint64_t Size = 0;
  return Decoder->getInstruction(Found, Size, Code, Address, llvm::nulls()) ==
                 llvm::MCDisassembler::Success
             ? Size
             : 0;
}

unsigned X86Decoder::registerOf(llvm::StringRef Name) const {
  for (unsigned R = 1; R != Registers->getNumRegs(); ++R)
    if (llvm::StringRef(Registers->getName(R)) == Name)
      return R;
  return 0;
}

} // namespace kst
