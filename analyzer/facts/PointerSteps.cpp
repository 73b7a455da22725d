// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/PointerSteps.h"

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/PointerTypes.h"

using namespace clang;

namespace kst {

/// The complete record, not a union, that a pointer leads to.
static const RecordDecl *pointee(const Expr *Pointer) {
  const auto *Type = Pointer->getType()->getAs<PointerType>();
  const RecordDecl *Record =
      Type ? Type->getPointeeType()->getAsRecordDecl() : nullptr;
  Record = Record ? Record->getDefinition() : nullptr;
  return Record && !Record->isInvalidDecl() && !Record->isUnion() ? Record
                                                                  : nullptr;
}

const RecordDecl *recordBeforeCast(const Expr *Pointer) {
  Pointer = Pointer->IgnoreParenImpCasts();
  return isa<ExplicitCastExpr>(Pointer) ? pointee(Pointer->IgnoreParenCasts())
                                        : nullptr;
}

static QualType pointedType(const Expr *Pointer) {
  QualType Type = Pointer->getType();
  return Type->isPointerType() ? Type->getPointeeType() : QualType();
}

/// The first member that is no record, innermost; null for none.
static const FieldDecl *firstScalar(const RecordDecl *Record) {
  while (Record && !Record->isUnion() && !Record->field_empty()) {
    const FieldDecl *First = *Record->field_begin();
    const RecordDecl *Inner = First->getType()->getAsRecordDecl();
    if (!Inner)
      return First;
    Record = Inner->getDefinition();
  }
  return nullptr;
}

bool startsLike(const RecordDecl *Record, QualType Seen) {
  if (Seen->isIntegerType())
    return true;
  const FieldDecl *First = firstScalar(Record);
  return First && First->getType()->isPointerType() == Seen->isPointerType() &&
         First->getType()->isFloatingType() == Seen->isFloatingType();
}

void addUpTo(DemandTable &Demands, const OffsetReader &Offsets,
             const RecordDecl *Record, int64_t Byte, SourceLocation Where) {
  if (Byte >= 0 && Byte < Offsets.size(Record))
    Demands.add(DemandKind::Overrun, Record, None,
                Offsets.fieldAt(Record, Byte), Where);
}

const RecordDecl *seenAsNumbers(const OffsetReader &Offsets,
                                const Expr *Pointer, int64_t &ElementBytes) {
  QualType Seen = pointedType(Pointer);
  if (Seen.isNull() || !Seen->isScalarType() || Seen->isCharType())
    return nullptr;
  ElementBytes = Offsets.size(Seen);
  const RecordDecl *Record = recordBeforeCast(Pointer);
  return Record && startsLike(Record, Seen) ? Record : nullptr;
}

void addDereference(DemandTable &Demands, const OffsetReader &Offsets,
                    const Expr *Pointer, SourceLocation Where) {
  int64_t Bytes;
  if (const RecordDecl *Record = seenAsNumbers(Offsets, Pointer, Bytes))
    addUpTo(Demands, Offsets, Record, Bytes - 1, Where);
}

/// Whether two members are numbers that a row of one type may hold.
static bool isSameNumber(const OffsetReader &Offsets, QualType A, QualType B) {
  return A.getCanonicalType() == B.getCanonicalType() ||
         (A->isIntegerType() && B->isIntegerType() &&
          Offsets.size(A) == Offsets.size(B));
}

uint32_t lastOfRow(const OffsetReader &Offsets, const FieldDecl *First) {
  uint32_t Last = numberOf(First);
  for (const FieldDecl *Next : fieldsOf(ownerOf(First)))
    if (numberOf(Next) == Last + 1 &&
        isSameNumber(Offsets, Next->getType(), First->getType()))
      ++Last;
  return Last;
}

void addMemberStep(DemandTable &Demands, const OffsetReader &Offsets,
                   const FieldDecl *Field, bool Constant, int64_t Count,
                   SourceLocation Where) {
  const RecordDecl *Record = ownerOf(Field);
  if (Record->isUnion())
    return;
  int64_t Size = Offsets.size(Field);
  if (Constant) {
    int64_t Byte = Offsets.offset(Field) + Count * Size;
    if (Byte < 0 || Size == 0)
      return;
    uint32_t First = numberOf(Field);
    uint32_t Last = Offsets.fieldAt(Record, Byte);
    // What lies behind the record, or in the padding before the next member.
    if (Last == None || (Last == First && Offsets.isLast(Field)))
      return Demands.add(DemandKind::Distance, Field, Where);
    Last += Last == First;
    return Demands.add(DemandKind::Overrun, Record, std::min(First, Last),
                       std::max(First, Last), Where);
  }
  const uint32_t First = numberOf(Field);
  const uint32_t Last = lastOfRow(Offsets, Field);
  if (Last != First)
    Demands.add(DemandKind::Overrun, Record, First, Last, Where);
}

void addStep(DemandTable &Demands, const OffsetReader &Offsets,
             const Expr *Pointer, const Expr *Index, SourceLocation Where) {
  QualType Seen = pointedType(Pointer);
  if (Seen.isNull() ||
      !isa<ExplicitCastExpr, UnaryOperator>(Pointer->IgnoreParenImpCasts()))
    return;
  int64_t Count, Bytes;
  bool Constant = Offsets.evaluate(Index, Count);
  if (Constant && Count == 0)
    return addDereference(Demands, Offsets, Pointer, Where);
  if (const RecordDecl *Record = seenAsNumbers(Offsets, Pointer, Bytes)) {
    if (Constant)
      return addUpTo(Demands, Offsets, Record, (Count + 1) * Bytes - 1, Where);
    return Demands.add(DemandKind::Overrun, Record, None, None, Where);
  }
  if (Seen->isVoidType() || Seen->isCharType()) {
    const RecordDecl *Record = recordBeforeCast(Pointer);
    if (Record && Constant && Offsets.read(Index).Terms.empty())
      addUpTo(Demands, Offsets, Record, Count, Where);
    return;
  }
  const FieldDecl *Field = addressedMember(Pointer);
  if (Field && !Field->getType()->isArrayType())
    addMemberStep(Demands, Offsets, Field, Constant, Count, Where);
}

} // namespace kst
