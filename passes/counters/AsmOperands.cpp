// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/AsmOperands.h"

#include "llvm/IR/InlineAsm.h"

using namespace llvm;
using namespace kst::counters;

/// x86: bit instructions of the kernel name their operand as an input, because
/// it may lie outside of what the operand says, and write it.
static bool writesInput(StringRef Text) {
  for (StringRef Name : {"bts", "btr", "btc"}) {
    size_t At = Text.find(Name);
    if (At != StringRef::npos &&
        (At == 0 || !isalnum(static_cast<unsigned char>(Text[At - 1]))))
      return true;
  }
  return false;
}

SmallVector<AsmOperand, 4>
kst::counters::asmOperands(const CallBase &Call, const DataLayout &Layout) {
  SmallVector<AsmOperand, 4> Result;
  auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
  StringRef Text = Asm->getAsmString();
  if (Text.trim().empty())
    return Result;
  unsigned Argument = 0;
  for (const InlineAsm::ConstraintInfo &C : Asm->ParseConstraints()) {
    bool Takes = C.Type == InlineAsm::isInput ||
                 (C.Type == InlineAsm::isOutput && C.isIndirect);
    if (!Takes)
      continue;
    if (Argument == Call.arg_size())
      break;
    unsigned Number = Argument++;
    Value *Pointer = Call.getArgOperand(Number);
    if (!Pointer->getType()->isPointerTy())
      continue;
    if (!C.isIndirect) {
      Result.push_back({AsmOperand::Register, Pointer, 0});
      continue;
    }
    Type *T = Call.getParamElementType(Number);
    uint64_t Size =
        T && T->isSized() ? Layout.getTypeStoreSize(T).getKnownMinValue() : 0;
    if (C.Type == InlineAsm::isOutput) {
      Result.push_back({AsmOperand::Write, Pointer, Size});
      continue;
    }
    // The other half of +m.
    auto *Half = find_if(Result, [&](const AsmOperand &Op) {
      return Op.Pointer == Pointer && Op.Access == AsmOperand::Write;
    });
    if (Half != Result.end())
      Half->Access = AsmOperand::Both;
    else
      Result.push_back({writesInput(Text) ? AsmOperand::Both : AsmOperand::Read,
                        Pointer, Size});
  }
  return Result;
}
