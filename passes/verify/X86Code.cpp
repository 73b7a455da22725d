// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/verify/X86Code.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrDesc.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

// Declared here so that no header has to be there for every target of LLVM.
extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86Disassembler();
}

namespace kst {

namespace {

/// LLVM 22 asks for the triple itself where LLVM 19 takes its text.
#if LLVM_VERSION_MAJOR >= 22
const llvm::Triple &given(const llvm::Triple &T) { return T; }
#else
const std::string &given(const llvm::Triple &T) { return T.str(); }
#endif

class Disassembler : public X86Code {
public:
  bool init() {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    const llvm::Triple Triple("x86_64-unknown-linux-gnu");
    std::string Error;
    const llvm::Target *Target =
        llvm::TargetRegistry::lookupTarget(given(Triple), Error);
    if (!Target)
      return false;
    Registers.reset(Target->createMCRegInfo(given(Triple)));
    AsmInfo.reset(Target->createMCAsmInfo(*Registers, given(Triple), {}));
    Instructions.reset(Target->createMCInstrInfo());
    Subtarget.reset(Target->createMCSubtargetInfo(given(Triple), "", ""));
    Context = std::make_unique<llvm::MCContext>(
        Triple, AsmInfo.get(), Registers.get(), Subtarget.get());
    Decoder.reset(Target->createMCDisassembler(*Subtarget, *Context));
    for (unsigned R = 1; R != Registers->getNumRegs(); ++R) {
      llvm::StringRef Name = Registers->getName(R);
      if (Name == "RIP")
        Rip = R;
      else if (Name == "GS")
        Gs = R;
    }
    return Decoder && Rip && Gs;
  }

  void visit(llvm::StringRef Code, uint64_t Address,
             llvm::function_ref<void(uint64_t, uint64_t)> Named) override {
    llvm::ArrayRef<uint8_t> Bytes = llvm::arrayRefFromStringRef(Code);
    for (uint64_t At = 0; At < Bytes.size();) {
      llvm::MCInst Inst;
      uint64_t Size = 0;
      if (Decoder->getInstruction(Inst, Size, Bytes.drop_front(At),
                                  Address + At,
                                  llvm::nulls()) != Decoder->Success ||
          !Size) {
        ++At;
        continue;
      }
      operands(Inst, Address + At, Size, Named);
      At += Size;
    }
  }

private:
  void operands(const llvm::MCInst &Inst, uint64_t At, uint64_t Size,
                llvm::function_ref<void(uint64_t, uint64_t)> Named) const {
    auto Kinds = Instructions->get(Inst.getOpcode()).operands();
    for (unsigned I = 0; I < Inst.getNumOperands() && I < Kinds.size(); ++I) {
      const llvm::MCOperand &Operand = Inst.getOperand(I);
      switch (Kinds[I].OperandType) {
      case llvm::MCOI::OPERAND_PCREL:
        if (Operand.isImm())
          Named(At, At + Size + Operand.getImm());
        break;
      case llvm::MCOI::OPERAND_IMMEDIATE:
        if (Operand.isImm() && Operand.getImm() < 0)
          Named(At, Operand.getImm());
        break;
      case llvm::MCOI::OPERAND_MEMORY:
        // base, scale, index, displacement, segment
        if (!Operand.isReg() || I + 5 > Inst.getNumOperands())
          break;
        memory(Inst, I, At, Size, Named);
        I += 4;
        break;
      default: // lea's operand is of no kind
        if (Operand.isReg() && Operand.getReg() == Rip &&
            I + 5 <= Inst.getNumOperands()) {
          memory(Inst, I, At, Size, Named);
          I += 4;
        }
        break;
      }
    }
  }

  void memory(const llvm::MCInst &Inst, unsigned I, uint64_t At, uint64_t Size,
              llvm::function_ref<void(uint64_t, uint64_t)> Named) const {
    const llvm::MCOperand &Displacement = Inst.getOperand(I + 3);
    const llvm::MCOperand &Segment = Inst.getOperand(I + 4);
    if (!Displacement.isImm())
      return;
    int64_t Constant = Displacement.getImm();
    if (Inst.getOperand(I).getReg() == Rip)
      Named(At, At + Size + Constant);
    else if (Constant < 0 || (Segment.isReg() && Segment.getReg() == Gs))
      Named(At, Constant);
  }

  std::unique_ptr<const llvm::MCRegisterInfo> Registers;
  std::unique_ptr<const llvm::MCAsmInfo> AsmInfo;
  std::unique_ptr<const llvm::MCInstrInfo> Instructions;
  std::unique_ptr<const llvm::MCSubtargetInfo> Subtarget;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<const llvm::MCDisassembler> Decoder;
  unsigned Rip = 0, Gs = 0;
};

} // namespace

llvm::Expected<std::unique_ptr<X86Code>> X86Code::create() {
  auto Code = std::make_unique<Disassembler>();
  if (!Code->init())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "this LLVM cannot disassemble x86-64");
  return Code;
}

} // namespace kst
