// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/ResultRegisters.h"

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
const llvm::Triple &nameOf(const llvm::Triple &T) { return T; }
#else
const std::string &nameOf(const llvm::Triple &T) { return T.str(); }
#endif

class ResultWalk {
public:
  bool init() {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    const llvm::Triple Triple("x86_64-unknown-linux-gnu");
    std::string Error;
    const llvm::Target *Target =
        llvm::TargetRegistry::lookupTarget(nameOf(Triple), Error);
    if (!Target)
      return false;
    Registers.reset(Target->createMCRegInfo(nameOf(Triple)));
    AsmInfo.reset(Target->createMCAsmInfo(*Registers, nameOf(Triple), {}));
    Instructions.reset(Target->createMCInstrInfo());
    Subtarget.reset(Target->createMCSubtargetInfo(nameOf(Triple), "", ""));
    Context = std::make_unique<llvm::MCContext>(
        Triple, AsmInfo.get(), Registers.get(), Subtarget.get());
    Decoder.reset(Target->createMCDisassembler(*Subtarget, *Context));
    return Decoder != nullptr;
  }

  std::vector<ResultPlace> run(uint64_t Address, llvm::ArrayRef<uint8_t> Code) {
    std::vector<ResultPlace> Out;
    for (unsigned R = 1; R != Registers->getNumRegs(); ++R)
      if (llvm::StringRef(Registers->getName(R)) == "RAX")
        Holding.insert(R);
    while (!Holding.empty() && !Code.empty()) {
      ResultPlace Here{Address, {}};
      for (unsigned R : Holding)
        Here.Registers.insert(
            unsigned(Registers->getDwarfRegNum(R, /*isEH=*/false)));
      Out.push_back(std::move(Here));
      llvm::MCInst Inst;
      uint64_t Size = 0;
      if (Decoder->getInstruction(Inst, Size, Code, Address, llvm::nulls()) !=
              Decoder->Success ||
          !Size || !step(Inst))
        break;
      Code = Code.drop_front(Size);
      Address += Size;
    }
    return Out;
  }

private:
  /// False: it does not go on straight.
  bool step(const llvm::MCInst &Inst) {
    const llvm::MCInstrDesc &What = Instructions->get(Inst.getOpcode());
    if (What.isCall() || What.isReturn() || What.isBarrier())
      return false;
    const bool Copies =
        Instructions->getName(Inst.getOpcode()).starts_with("MOV64rr") &&
        Inst.getNumOperands() == 2 && Inst.getOperand(0).isReg() &&
        Inst.getOperand(1).isReg() && Holding.count(reg(Inst.getOperand(1)));
    for (unsigned I = 0; I < What.getNumDefs() && I < Inst.getNumOperands();
         ++I)
      if (Inst.getOperand(I).isReg())
        overwritten(reg(Inst.getOperand(I)));
    for (auto R : What.implicit_defs())
      overwritten(R);
    if (Copies)
      Holding.insert(reg(Inst.getOperand(0)));
    return true;
  }

  static unsigned reg(const llvm::MCOperand &Of) {
    return static_cast<llvm::MCRegister>(Of.getReg()).id();
  }

  void overwritten(unsigned R) {
    std::erase_if(Holding, [&](unsigned Held) {
      return R && Registers->regsOverlap(R, Held);
    });
  }

  std::set<unsigned> Holding;
  std::unique_ptr<const llvm::MCRegisterInfo> Registers;
  std::unique_ptr<const llvm::MCAsmInfo> AsmInfo;
  std::unique_ptr<const llvm::MCInstrInfo> Instructions;
  std::unique_ptr<const llvm::MCSubtargetInfo> Subtarget;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<const llvm::MCDisassembler> Decoder;
};

} // namespace

std::vector<ResultPlace> resultRegisters(uint64_t ReturnAddress,
                                         llvm::ArrayRef<uint8_t> Code) {
  ResultWalk Walk;
  if (!Walk.init())
    return {};
  return Walk.run(ReturnAddress, Code);
}

} // namespace kst
