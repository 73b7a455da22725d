// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/KnownRegisters.h"

#include "llvm/MC/MCInstrDesc.h"

namespace kst {
namespace {

unsigned reg(const llvm::MCOperand &Of) {
  return static_cast<llvm::MCRegister>(Of.getReg()).id();
}

} // namespace

std::optional<MemoryOperand> memoryOperand(const llvm::MCInst &Of, unsigned I) {
  // Base, scale, index, displacement, segment: no other operands follow each
  // other so. Those of LEA are not marked as memory.
  if (I + 4 >= Of.getNumOperands() || !Of.getOperand(I).isReg() ||
      !Of.getOperand(I + 1).isImm() || !Of.getOperand(I + 2).isReg() ||
      !Of.getOperand(I + 3).isImm() || !Of.getOperand(I + 4).isReg())
    return std::nullopt;
  return MemoryOperand{reg(Of.getOperand(I)), reg(Of.getOperand(I + 2)),
                       reg(Of.getOperand(I + 4)), Of.getOperand(I + 1).getImm(),
                       Of.getOperand(I + 3).getImm()};
}

KnownRegisters::KnownRegisters(const X86Decoder &Decoder, KnownValues Are)
    : Decoder(Decoder), Are(Are), Rip(Decoder.registerOf("RIP")) {
  for (const char *Name :
       {"RAX", "RCX", "RDX", "RSI", "RDI", "R8", "R9", "R10", "R11"})
    LostByCalls.push_back(Decoder.registerOf(Name));
}

std::optional<uint64_t> KnownRegisters::of(unsigned Register) const {
  const auto At = Known.find(Register);
  if (At == Known.end())
    return std::nullopt;
  return At->second;
}

std::optional<uint64_t> KnownRegisters::addressOf(const MemoryOperand &Of,
                                                  uint64_t Next) const {
  if (Of.Segment)
    return std::nullopt;
  if (Of.Base == Rip && Are == KnownValues::Addresses)
    return Next + uint64_t(Of.Displacement);
  auto From = of(Of.Base);
  if (!From && Of.Scale == 1)
    From = of(Of.Index);
  if (!From)
    return std::nullopt;
  return *From + uint64_t(Of.Displacement);
}

/// What the instruction leaves in its only result: an immediate, the address of
/// an operand, another register.
std::optional<uint64_t> KnownRegisters::result(const llvm::MCInst &Of,
                                               const llvm::MCInstrDesc &What,
                                               uint64_t Next) const {
  if (What.getNumDefs() != 1 || Of.getNumOperands() < 2)
    return std::nullopt;
  const llvm::MCOperand &From = Of.getOperand(1);
  if (Of.getNumOperands() == 2 && From.isImm() && What.isMoveImmediate() &&
      Are == KnownValues::Addresses)
    return uint64_t(From.getImm());
  const llvm::StringRef Name = Decoder.instructions().getName(Of.getOpcode());
  if (Name.starts_with("MOV64rr") && From.isReg())
    return of(reg(From));
  if (const auto Memory = memoryOperand(Of, 1);
      Memory && Name == "LEA64r" && !Memory->Index)
    return addressOf(*Memory, Next);
  return std::nullopt;
}

void KnownRegisters::overwrite(unsigned Register) {
  if (Register)
    std::erase_if(Known, [&](const auto &Of) {
      return Decoder.registers().regsOverlap(Register, Of.first);
    });
}

void KnownRegisters::step(const llvm::MCInst &Of, uint64_t Next) {
  const llvm::MCInstrDesc &What = Decoder.instructions().get(Of.getOpcode());
  if (What.isReturn() || What.isBarrier()) {
    clear();
    return;
  }
  if (What.isCall()) {
    for (unsigned Lost : LostByCalls)
      Known.erase(Lost);
    return;
  }
  const auto Value = result(Of, What, Next);
  for (unsigned I = 0; I < What.getNumDefs() && I < Of.getNumOperands(); ++I)
    if (Of.getOperand(I).isReg())
      overwrite(reg(Of.getOperand(I)));
  for (auto R : What.implicit_defs())
    overwrite(R);
  if (!Value)
    return;
  // Of 32 bits the rest is zero.
  unsigned To = reg(Of.getOperand(0));
  for (unsigned Super : Decoder.registers().superregs(To))
    To = Super;
  Known[To] = *Value;
}

} // namespace kst
