// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sums, differences and comparisons of offsets: see DemandCollector.h.

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/DemandCollector.h"

using namespace clang;

namespace kst {

namespace {

/// The record of which the pointer is behind an object: `p + 1`, `&p[1]`.
const RecordDecl *endedRecord(const Expr *E) {
  E = E->IgnoreParenCasts();
  const Expr *Index = nullptr;
  if (const auto *Binary = dyn_cast<BinaryOperator>(E);
      Binary && Binary->getOpcode() == BO_Add)
    Index = Binary->getRHS();
  else if (const auto *Unary = dyn_cast<UnaryOperator>(E);
           Unary && Unary->getOpcode() == UO_AddrOf)
    if (const auto *Element =
            dyn_cast<ArraySubscriptExpr>(Unary->getSubExpr()->IgnoreParens()))
      Index = Element->getIdx();
  const auto *Pointer = E->getType()->getAs<PointerType>();
  const RecordDecl *Record =
      Index && Pointer ? Pointer->getPointeeType()->getAsRecordDecl() : nullptr;
  return Record ? Record->getDefinition() : nullptr;
}

/// The pointer that a number was just before; null for others.
const Expr *numberedPointer(const Expr *E) {
  for (E = E->IgnoreParens(); const auto *Cast = dyn_cast<CastExpr>(E);
       E = Cast->getSubExpr()->IgnoreParens())
    if (Cast->getCastKind() == CK_PointerToIntegral)
      return Cast->getSubExpr();
  return nullptr;
}

/// Whether the number was a pointer just before.
bool isAddress(const Expr *E) {
  if (numberedPointer(E))
    return true;
  const auto *Binary = dyn_cast<BinaryOperator>(E->IgnoreParenCasts());
  return Binary && Binary->isAdditiveOp() &&
         (isAddress(Binary->getLHS()) || isAddress(Binary->getRHS()));
}

} // namespace

/// Two members of one record in one number.
void DemandCollector::addDistances(const OffsetSum &Left,
                                   const OffsetSum &Right,
                                   SourceLocation Where) {
  for (const OffsetTerm &A : Left.Terms)
    for (const OffsetTerm &B : Right.Terms)
      if (A.Field != B.Field && ownerOf(A.Field) == ownerOf(B.Field)) {
        Demands.add(DemandKind::Distance, A.Field, Where, numberOf(B.Field));
        Demands.add(DemandKind::Distance, B.Field, Where, numberOf(A.Field));
      }
}

/// Everything from the one member to the other.
void DemandCollector::addOverruns(const OffsetSum &Left, const OffsetSum &Right,
                                  SourceLocation Where) {
  for (const OffsetTerm &A : Left.Terms)
    for (const OffsetTerm &B : Right.Terms)
      if (A.Field != B.Field && ownerOf(A.Field) == ownerOf(B.Field)) {
        auto [First, Last] =
            std::minmax({numberOf(A.Field), numberOf(B.Field)});
        Demands.add(DemandKind::Overrun, ownerOf(A.Field), First, Last, Where);
      }
}

OffsetSum
DemandCollector::visitPointerDifference(const BinaryOperator *Binary) {
  OffsetSum Left = Values.memberAddress(Binary->getLHS());
  OffsetSum Right = Values.memberAddress(Binary->getRHS());
  visitChildren(Binary);
  // `(char *)(p + 1) - (char *)&p->m`: from m to the end.
  if (const RecordDecl *Record = endedRecord(Binary->getLHS()))
    for (const OffsetTerm &Term : Right.Terms)
      if (ownerOf(Term.Field) == Record)
        Demands.add(DemandKind::Distance, Term.Field, Binary->getExprLoc());
  if (Left.Terms.empty() || Right.Terms.empty())
    return {};
  addDistances(Left, Right, Binary->getExprLoc());
  Left.add(Right, -1);
  return Left;
}

/// `for (q = &p->a; q < &p->z; q++)`: everything from a to z. Equality of
/// pointers to records asks which of two it is: a lock, a list.
void DemandCollector::visitPointerComparison(const BinaryOperator *Binary) {
  if (Binary->isEqualityOp() &&
      Binary->getLHS()->getType()->getPointeeType()->isRecordType())
    return visitChildren(Binary);
  OffsetSum Left = Values.memberAddress(Binary->getLHS());
  OffsetSum Right = Values.memberAddress(Binary->getRHS());
  visitChildren(Binary);
  addOverruns(Left, Right, Binary->getExprLoc());
}

OffsetSum DemandCollector::visitArithmetic(const BinaryOperator *Binary) {
  OffsetSum Left = visit(Binary->getLHS()), Right = visit(Binary->getRHS());
  // `(uintptr_t)&p->z - (uintptr_t)&p->a`
  if (const Expr *End = numberedPointer(Binary->getLHS()),
      *Start = numberedPointer(Binary->getRHS());
      End && Start && Binary->getOpcode() == BO_Sub) {
    Left = Values.memberAddress(End);
    Right = Values.memberAddress(Start);
  }
  if (Left.empty() && Right.empty())
    return {};
  SourceLocation Where = Binary->getExprLoc();
  addDistances(Left, Right, Where);
  if (!Binary->isAdditiveOp()) {
    Left.blur(Right);
    return Left;
  }
  auto AddConstant = [&](OffsetSum &Value, const Expr *E) {
    if (Value.Terms.empty() && !Offsets.evaluate(E, Value.Constant)) {
      Value.Linear = false;
      Value.Varies = true;
    }
  };
  AddConstant(Left, Binary->getLHS());
  AddConstant(Right, Binary->getRHS());
  bool Minus = Binary->getOpcode() == BO_Sub;
  // `size - offsetof()`: what lies behind the member.
  if (Minus && !ToPointer && !Right.Terms.empty() && Left.Terms.empty() &&
      !isAddress(Binary->getLHS()))
    addFor(Right, DemandKind::Distance, Where);
  Left.add(Right, Minus ? -1 : 1);
  return Left;
}

void DemandCollector::visitComparison(const BinaryOperator *Binary) {
  const Expr *Sides[] = {Binary->getLHS(), Binary->getRHS()};
  OffsetSum Sums[] = {visit(Sides[0]), visit(Sides[1])};
  for (int I : {0, 1}) {
    const OffsetSum &Value = Sums[I];
    // A local variable with one of several offsets asks for single members.
    if (Value.Terms.empty() || Binary->isEqualityOp() ||
        (!Value.Linear && Value.Terms.size() > 1) ||
        !Sums[1 - I].Terms.empty() ||
        Sides[1 - I]->isIntegerConstantExpr(Demands.unit().context()))
      continue;
    for (const OffsetTerm &Term : Value.Terms)
      Comparisons.push_back(
          {Term.Field, Value.Constant, Binary->getExprLoc(), false});
  }
}

} // namespace kst
