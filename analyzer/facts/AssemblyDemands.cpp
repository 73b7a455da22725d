// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/AssemblyDemands.h"

#include "analyzer/facts/PointerSteps.h"

using namespace clang;

namespace kst {

/// The number in front of `(%0)`, or behind `[%0, `; false: no such address.
static bool displacement(llvm::StringRef Before, llvm::StringRef Behind,
                         int64_t &Bytes) {
  Bytes = 0;
  if (Before.consume_back("(") && Behind.starts_with(")")) {
    llvm::StringRef Number =
        Before.substr(Before.find_last_not_of("0123456789abcdefx") + 1);
    return Number.empty() || !Number.getAsInteger(0, Bytes);
  }
  if (!Before.ends_with("["))
    return false;
  Behind = Behind.ltrim();
  if (Behind.starts_with("]"))
    return true;
  if (!Behind.consume_front(","))
    return false;
  Behind = Behind.ltrim(" #");
  return !Behind.consumeInteger(0, Bytes);
}

void addAssembly(DemandTable &Demands, const OffsetReader &Offsets,
                 const GCCAsmStmt *Asm) {
  llvm::SmallVector<GCCAsmStmt::AsmStringPiece, 8> Pieces;
  unsigned Where;
  if (Asm->AnalyzeAsmString(Pieces, Demands.unit().context(), Where))
    return;
  auto Text = [&](size_t Piece) {
    return Piece < Pieces.size() && Pieces[Piece].isString()
               ? llvm::StringRef(Pieces[Piece].getString())
               : llvm::StringRef();
  };
  for (size_t I = 0; I != Pieces.size(); ++I) {
    if (!Pieces[I].isOperand())
      continue;
    unsigned Number = Pieces[I].getOperandNo();
    unsigned Outputs = Asm->getNumOutputs();
    if (Number >= Outputs + Asm->getNumInputs())
      continue;
    const Expr *Operand = Number < Outputs
                              ? Asm->getOutputExpr(Number)
                              : Asm->getInputExpr(Number - Outputs);
    const auto *Pointer =
        Operand->IgnoreParenCasts()->getType()->getAs<PointerType>();
    const RecordDecl *Record =
        Pointer ? Pointer->getPointeeType()->getAsRecordDecl() : nullptr;
    Record = Record ? Record->getDefinition() : nullptr;
    int64_t Bytes;
    if (Record && !Record->isUnion() && !Record->isInvalidDecl() &&
        displacement(I ? Text(I - 1) : llvm::StringRef(), Text(I + 1), Bytes))
      addUpTo(Demands, Offsets, Record, Bytes, Asm->getAsmLoc());
  }
}

} // namespace kst
