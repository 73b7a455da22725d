// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/ArgumentUses.h"

#include "passes/readers/KnownRegisters.h"

#include "llvm/MC/MCInstrDesc.h"

namespace kst {
namespace {

constexpr unsigned MostCallDepth = 3;

/// Tracing's `call __fentry__`, alone or behind ENDBR64, keeps all registers.
constexpr uint64_t EntryBytes = 4;

} // namespace

std::optional<uint64_t> directTarget(const X86Decoder &Decoder,
                                     const llvm::MCInst &Of, uint64_t Next) {
  const llvm::MCInstrDesc &What = Decoder.instructions().get(Of.getOpcode());
  if (!(What.isCall() || What.isBranch()) || Of.getNumOperands() < 1 ||
      !Of.getOperand(0).isImm())
    return std::nullopt;
  return Next + uint64_t(Of.getOperand(0).getImm());
}

ArgumentUses::ArgumentUses(const X86Decoder &Decoder,
                           std::vector<FunctionBytes> All)
    : Decoder(Decoder) {
  for (const char *Name : {"RDI", "RSI", "RDX", "RCX", "R8", "R9"})
    Registers.push_back(Decoder.registerOf(Name));
  for (const FunctionBytes &Of : All) {
    Functions.emplace(Of.Address, Of.Code);
    Begins.insert(Of.Address);
  }
}

const std::vector<ArgumentUse> &ArgumentUses::of(uint64_t Function,
                                                 unsigned Argument) {
  return answer({Function, Argument, 0});
}

const std::vector<ArgumentUse> &ArgumentUses::answer(Question Asked) {
  const auto [At, New] = Read.try_emplace(Asked);
  if (New)
    if (const auto Code = Functions.find(Asked.Function);
        Code != Functions.end())
      At->second = read(Asked, Code->second);
  return At->second;
}

std::vector<ArgumentUse> ArgumentUses::read(Question Asked,
                                            llvm::ArrayRef<uint8_t> Code) {
  std::map<int64_t, ArgumentUse> Found;
  const auto Add = [&Found](ArgumentUse Use) {
    ArgumentUse &To = Found[Use.OffsetBytes];
    To.OffsetBytes = Use.OffsetBytes;
    To.Load |= Use.Load;
    To.Store |= Use.Store;
    To.Indexed |= Use.Indexed;
  };
  // The argument is at 0: addresses are offsets.
  KnownRegisters Known(Decoder, KnownValues::Offsets);
  Known.set(Registers[Asked.Argument], 0);
  uint64_t Address = Asked.Function;
  const uint64_t End = Address + Code.size();
  while (!Code.empty() && !Known.empty()) {
    llvm::MCInst Inst;
    const uint64_t Size = Decoder.next(Code, Address, Inst);
    if (!Size)
      break;
    const uint64_t Next = Address + Size;
    const llvm::MCInstrDesc &What =
        Decoder.instructions().get(Inst.getOpcode());
    for (unsigned I = 0; I < Inst.getNumOperands(); ++I)
      if (const auto Memory = memoryOperand(Inst, I)) {
        if (const auto At = Known.addressOf(*Memory, Next);
            At && (What.mayLoad() || What.mayStore()))
          Add({int64_t(*At), What.mayLoad(), What.mayStore(),
               Memory->Index != 0});
        I += 4;
      }
    const auto To = directTarget(Decoder, Inst, Next);
    if (To && (*To < Asked.Function || *To >= End) &&
        Asked.Depth < MostCallDepth)
      for (unsigned A = 0; A < Registers.size(); ++A)
        if (const auto At = Known.of(Registers[A]))
          for (ArgumentUse Use : answer({*To, A, Asked.Depth + 1})) {
            Use.OffsetBytes += int64_t(*At);
            Add(Use);
          }
    if (!(What.isCall() && Address <= Asked.Function + EntryBytes))
      Known.step(Inst, Next);
    Code = Code.drop_front(Size);
    Address = Next;
  }
  std::vector<ArgumentUse> Out;
  for (const auto &[Offset, Use] : Found)
    Out.push_back(Use);
  return Out;
}

} // namespace kst
