// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/verify/X86Code.h"

#include "passes/decode/X86Decoder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCInstrDesc.h"

namespace kst {

namespace {

class Disassembler : public X86Code {
public:
  explicit Disassembler(std::unique_ptr<X86Decoder> By)
      : Decoder(std::move(By)), Rip(Decoder->registerOf("RIP")),
        Gs(Decoder->registerOf("GS")) {}

  void visit(llvm::StringRef Code, uint64_t Address,
             llvm::function_ref<void(uint64_t, uint64_t)> Named) override {
    llvm::ArrayRef<uint8_t> Bytes = llvm::arrayRefFromStringRef(Code);
    for (uint64_t At = 0; At < Bytes.size();) {
      llvm::MCInst Inst;
      const uint64_t Size =
          Decoder->next(Bytes.drop_front(At), Address + At, Inst);
      if (!Size) {
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
    auto Kinds = Decoder->instructions().get(Inst.getOpcode()).operands();
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

  const std::unique_ptr<X86Decoder> Decoder;
  const unsigned Rip, Gs;
};

} // namespace

llvm::Expected<std::unique_ptr<X86Code>> X86Code::create() {
  std::unique_ptr<X86Decoder> Decoder = X86Decoder::create();
  if (!Decoder)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "this LLVM cannot disassemble x86-64");
  return std::make_unique<Disassembler>(std::move(Decoder));
}

} // namespace kst
