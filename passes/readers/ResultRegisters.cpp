// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/ResultRegisters.h"

#include "passes/decode/X86Decoder.h"

#include "llvm/MC/MCInstrDesc.h"

namespace kst {
namespace {

class ResultWalk {
public:
  explicit ResultWalk(const X86Decoder &Decoder)
      : Decoder(Decoder), Registers(Decoder.registers()) {}

  std::vector<ResultPlace> run(uint64_t Address, llvm::ArrayRef<uint8_t> Code) {
    std::vector<ResultPlace> Out;
    Holding.insert(Decoder.registerOf("RAX"));
    while (!Holding.empty() && !Code.empty()) {
      ResultPlace Here{Address, {}};
      for (unsigned R : Holding)
        Here.Registers.insert(
            unsigned(Registers.getDwarfRegNum(R, /*isEH=*/false)));
      Out.push_back(std::move(Here));
      llvm::MCInst Inst;
      const uint64_t Size = Decoder.next(Code, Address, Inst);
      if (!Size || !step(Inst))
        break;
      Code = Code.drop_front(Size);
      Address += Size;
    }
    return Out;
  }

private:
  /// False: it does not go on straight.
  bool step(const llvm::MCInst &Inst) {
    const llvm::MCInstrDesc &What =
        Decoder.instructions().get(Inst.getOpcode());
    if (What.isCall() || What.isReturn() || What.isBarrier())
      return false;
    const bool Copies =
        Decoder.instructions()
            .getName(Inst.getOpcode())
            .starts_with("MOV64rr") &&
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
      return R && Registers.regsOverlap(R, Held);
    });
  }

  const X86Decoder &Decoder;
  const llvm::MCRegisterInfo &Registers;
  std::set<unsigned> Holding;
};

} // namespace

std::vector<ResultPlace> resultRegisters(uint64_t ReturnAddress,
                                         llvm::ArrayRef<uint8_t> Code) {
  const std::unique_ptr<X86Decoder> Decoder = X86Decoder::create();
  if (!Decoder)
    return {};
  return ResultWalk(*Decoder).run(ReturnAddress, Code);
}

} // namespace kst
