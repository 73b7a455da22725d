// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/AsmOperands.h"

#include "analyzer/facts/ClangCompat.h"
#include "hybrid/vocabulary/Vocabulary.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace kst {
namespace {

/// x86: bit instructions of the kernel name their operand as an input, because
/// it may lie outside of what the operand says, and write it.
bool writesInput(llvm::StringRef Text) {
  for (llvm::StringRef Name : namesOf(NameKind::WritingBitInstruction)) {
    size_t At = Text.find(Name);
    if (At != llvm::StringRef::npos &&
        (At == 0 || !llvm::isAlnum(Text[At - 1])))
      return true;
  }
  return false;
}

bool changesMemory(const GCCAsmStmt &Asm) {
  for (unsigned I = 0, E = Asm.getNumClobbers(); I != E; ++I)
    if (Asm.getClobber(I) == "memory")
      return true;
  return false;
}

bool isMemory(const std::string &Constraint) {
  return Constraint.find_first_of("mQo") != std::string::npos;
}

} // namespace

llvm::SmallVector<AsmOperand, 4> asmOperands(const GCCAsmStmt &Asm) {
  const std::string Text = asmText(Asm);
  const bool Follows =
      changesMemory(Asm) && !llvm::StringRef(Text).trim().empty();
  llvm::SmallVector<AsmOperand, 4> Found;
  auto AddPointer = [&](const Expr *Operand) {
    QualType Type = Operand->IgnoreParenCasts()->getType();
    if (!Follows || !(Type->isPointerType() || Type->isArrayType()))
      return;
    QualType To = Type->isPointerType()
                      ? Type->getPointeeType()
                      : Type->castAsArrayTypeUnsafe()->getElementType();
    if (!To->isFunctionType())
      Found.push_back(
          {Operand,
           To.isConstQualified() ? AccessForm::Read : AccessForm::ReadWrite,
           true});
  };
  for (unsigned I = 0, E = Asm.getNumOutputs(); I != E; ++I) {
    const Expr *Operand = Asm.getOutputExpr(I);
    bool Plus = Asm.isOutputPlusConstraint(I);
    if (Operand->isGLValue())
      Found.push_back(
          {Operand, Plus ? AccessForm::ReadWrite : AccessForm::Write});
    if (Plus && !isMemory(std::string(Asm.getOutputConstraint(I))))
      AddPointer(Operand);
  }
  for (unsigned I = 0, E = Asm.getNumInputs(); I != E; ++I) {
    const Expr *Operand = Asm.getInputExpr(I);
    if (!isMemory(std::string(Asm.getInputConstraint(I))))
      AddPointer(Operand);
    else if (Operand->isGLValue())
      Found.push_back({Operand, writesInput(Text) ? AccessForm::ReadWrite
                                                  : AccessForm::Read});
  }
  return Found;
}

} // namespace kst
