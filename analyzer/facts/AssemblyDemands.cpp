// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/AssemblyDemands.h"

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/PointerSteps.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "clang/Basic/CharInfo.h"
#include "llvm/ADT/SmallSet.h"

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

/// How many bytes of memory the instruction of a piece of text handles at
/// once; 0: it is none that is known.
static int64_t instructionBytes(llvm::StringRef Before) {
  llvm::StringRef Line = Before.substr(Before.find_last_of("\n;") + 1).ltrim();
  llvm::StringRef Name =
      Line.take_until([](char C) { return clang::isWhitespace(C); });
  if (Name == "lock")
    Name = Line.drop_front(Name.size()).ltrim().take_until([](char C) {
      return clang::isWhitespace(C);
    });
  return isA(NameKind::Moves64, Name)   ? 64
         : isA(NameKind::Moves32, Name) ? 32
         : isA(NameKind::Moves16, Name) ? 16
         : isA(NameKind::Moves8, Name)  ? 8
                                        : 0;
}

/// The member that an operand in memory is; null for others.
static const FieldDecl *memoryMember(const GCCAsmStmt *Asm, unsigned Number) {
  const unsigned Outputs = Asm->getNumOutputs();
  if (Number >= Outputs + Asm->getNumInputs())
    return nullptr;
  const bool Output = Number < Outputs;
  const Expr *Operand =
      Output ? Asm->getOutputExpr(Number) : Asm->getInputExpr(Number - Outputs);
  const std::string Constraint(Output
                                   ? Asm->getOutputConstraint(Number)
                                   : Asm->getInputConstraint(Number - Outputs));
  const auto *Member = dyn_cast<MemberExpr>(Operand->IgnoreParenImpCasts());
  const auto *Field =
      Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
  return Field && !Field->isBitField() && !ownerOf(Field)->isUnion() &&
                 Constraint.find_first_of("mQo") != std::string::npos
             ? Field
             : nullptr;
}

/// An instruction that handles more bytes than its operand has, and an operand
/// that the text does not name: assembly reaches it from another.
static void addWideOperands(DemandTable &Demands, const OffsetReader &Offsets,
                            const GCCAsmStmt *Asm,
                            llvm::ArrayRef<GCCAsmStmt::AsmStringPiece> Pieces) {
  llvm::SmallVector<const FieldDecl *, 4> Named, Unnamed;
  std::string Before;
  llvm::SmallSet<unsigned, 4> Seen;
  for (const GCCAsmStmt::AsmStringPiece &Piece : Pieces) {
    if (Piece.isString()) {
      Before += Piece.getString();
      continue;
    }
    Seen.insert(Piece.getOperandNo());
    const FieldDecl *Field = memoryMember(Asm, Piece.getOperandNo());
    if (!Field)
      continue;
    Named.push_back(Field);
    const int64_t Bytes = instructionBytes(Before);
    const RecordDecl *Record = ownerOf(Field);
    if (Bytes > Offsets.size(Field))
      Demands.add(DemandKind::Overrun, Record, numberOf(Field),
                  Offsets.fieldAt(Record, Offsets.offset(Field) + Bytes - 1),
                  Asm->getAsmLoc());
  }
  for (unsigned I = 0; I != Asm->getNumOutputs() + Asm->getNumInputs(); ++I)
    if (const FieldDecl *Field = memoryMember(Asm, I); Field && !Seen.count(I))
      Unnamed.push_back(Field);
  for (const FieldDecl *A : Named)
    for (const FieldDecl *B : Unnamed)
      if (A != B && ownerOf(A) == ownerOf(B))
        Demands.add(DemandKind::Overrun, ownerOf(A),
                    std::min(numberOf(A), numberOf(B)),
                    std::max(numberOf(A), numberOf(B)), Asm->getAsmLoc());
}

void addAssembly(DemandTable &Demands, const OffsetReader &Offsets,
                 const GCCAsmStmt *Asm) {
  llvm::SmallVector<GCCAsmStmt::AsmStringPiece, 8> Pieces;
  unsigned Where;
  if (Asm->AnalyzeAsmString(Pieces, Demands.unit().context(), Where))
    return;
  addWideOperands(Demands, Offsets, Asm, Pieces);
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
