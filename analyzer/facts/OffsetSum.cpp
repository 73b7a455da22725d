// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/OffsetSum.h"

#include "analyzer/facts/AnonymousStructs.h"

#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kst {

static void addTerm(OffsetSum &Sum, OffsetTerm Term) {
  auto *It = llvm::find_if(
      Sum.Terms, [&](const OffsetTerm &T) { return T.Field == Term.Field; });
  if (It == Sum.Terms.end())
    Sum.Terms.push_back(Term);
  else if ((It->Factor += Term.Factor) == 0)
    Sum.Terms.erase(It);
}

void OffsetSum::add(const OffsetSum &Other, int64_t Sign) {
  Linear &= Other.Linear;
  Constant += Sign * Other.Constant;
  llvm::append_range(Sizes, Other.Sizes);
  if (!Linear)
    return blur(Other, Sign);
  for (const OffsetTerm &Term : Other.Terms)
    addTerm(*this, {Term.Field, Sign * Term.Factor});
}

void OffsetSum::blur(const OffsetSum &Other, int64_t Sign) {
  Linear = false;
  Varies |= Other.Varies;
  for (const OffsetTerm &Term : Other.Terms)
    if (llvm::none_of(
            Terms, [&](const OffsetTerm &T) { return T.Field == Term.Field; }))
      Terms.push_back({Term.Field, Sign * Term.Factor});
  for (const RecordDecl *Record : Other.Sizes)
    if (!llvm::is_contained(Sizes, Record))
      Sizes.push_back(Record);
}

int64_t OffsetReader::size(QualType Type) const {
  if (Type->isIncompleteType())
    return 0;
  return Context.getTypeSizeInChars(Type).getQuantity();
}

int64_t OffsetReader::size(const FieldDecl *Field) const {
  return size(Field->getType());
}

int64_t OffsetReader::size(const RecordDecl *Record) const {
  return Context.getASTRecordLayout(Record).getSize().getQuantity();
}

int64_t OffsetReader::offset(const FieldDecl *Field) const {
  return offsetInOwner(Context, Field) / Context.getCharWidth();
}

int64_t OffsetReader::align(const FieldDecl *Field) const {
  return Context.getDeclAlign(Field).getQuantity();
}

uint32_t OffsetReader::fieldAt(const RecordDecl *Record, int64_t Byte) const {
  uint32_t Found = None;
  if (Byte < size(Record))
    for (const FieldDecl *Field : fieldsOf(Record))
      if (offset(Field) <= Byte)
        Found = numberOf(Field);
  return Found;
}

bool OffsetReader::isLast(const FieldDecl *Field) const {
  return fieldsOf(ownerOf(Field)).back() == Field;
}

OffsetRange OffsetReader::anywhere(const FieldDecl *Field) const {
  return {0, std::max<int64_t>(0, size(ownerOf(Field)) - size(Field))};
}

bool OffsetReader::evaluate(const Expr *E, int64_t &Value) const {
  Expr::EvalResult Result;
  if (E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType() ||
      !E->EvaluateAsInt(Result, Context))
    return false;
  Value = Result.Val.getInt().extOrTrunc(64).getSExtValue();
  return true;
}

void OffsetReader::addField(OffsetSum &Sum, const FieldDecl *Field) const {
  if (!Field->getParent()->isUnion() && !isOpened(Field))
    addTerm(Sum, {Field, 1});
}

OffsetSum OffsetReader::ofOffsetOf(const OffsetOfExpr *E) const {
  OffsetSum Sum;
  QualType Type = E->getTypeSourceInfo()->getType();
  for (unsigned I = 0; I != E->getNumComponents(); ++I) {
    const OffsetOfNode &Node = E->getComponent(I);
    if (Node.getKind() == OffsetOfNode::Field) {
      addField(Sum, Node.getField());
      Type = Node.getField()->getType();
    } else if (Node.getKind() == OffsetOfNode::Array) {
      const ArrayType *Array = Context.getAsArrayType(Type);
      int64_t Index;
      if (!Array ||
          !evaluate(E->getIndexExpr(Node.getArrayExprIndex()), Index)) {
        Sum.Linear = false;
        Sum.Varies = true;
        continue;
      }
      Type = Array->getElementType();
      Sum.Constant += Index * Context.getTypeSizeInChars(Type).getQuantity();
    } else {
      Sum.Linear = false;
    }
  }
  return Sum;
}

OffsetSum OffsetReader::ofMember(const Expr *E, const Expr *&Base) const {
  OffsetSum Sum;
  Base = nullptr;
  E = E->IgnoreParenCasts();
  if (const auto *Unary = dyn_cast<UnaryOperator>(E);
      Unary && Unary->getOpcode() == UO_AddrOf)
    E = Unary->getSubExpr()->IgnoreParens();
  else if (!E->getType()->isArrayType())
    return Sum;
  bool Member = false;
  while (true) {
    E = E->IgnoreParens();
    if (const auto *Index = dyn_cast<ArraySubscriptExpr>(E)) {
      const Expr *Array = Index->getBase()->IgnoreParenImpCasts();
      int64_t Number;
      if (!Array->getType()->isArrayType())
        return Sum;
      if (evaluate(Index->getIdx(), Number))
        Sum.Constant +=
            Number * Context.getTypeSizeInChars(E->getType()).getQuantity();
      else
        Sum.Linear = false;
      E = Array;
      continue;
    }
    const auto *Access = dyn_cast<MemberExpr>(E);
    if (!Access)
      break;
    const auto *Field = dyn_cast<FieldDecl>(Access->getMemberDecl());
    if (!Field)
      return Sum;
    addField(Sum, Field);
    Member = true;
    E = Access->getBase();
    if (Access->isArrow()) {
      Base = E->IgnoreParenImpCasts();
      return Sum;
    }
  }
  if (Member)
    Base = E;
  return Sum;
}

OffsetSum OffsetReader::ofNullMember(const Expr *Address) const {
  const Expr *Base;
  OffsetSum Sum = ofMember(Address, Base);
  if (!Base)
    return {};
  Base = Base->IgnoreParenCasts();
  int64_t Value;
  if (evaluate(Base, Value) && Value == 0)
    return Sum;
  return {};
}

/// Sum modulo N: what is a multiple of N in every order does not count.
OffsetSum OffsetReader::remainder(OffsetSum Sum, int64_t N) const {
  llvm::erase_if(Sum.Terms, [&](const OffsetTerm &Term) {
    return Term.Factor * align(Term.Field) % N == 0;
  });
  Sum.Linear = Sum.Terms.empty();
  Sum.Constant = ((Sum.Constant % N) + N) % N;
  return Sum;
}

OffsetSum OffsetReader::binary(const BinaryOperator *Binary) const {
  OffsetSum Left = read(Binary->getLHS()), Right = read(Binary->getRHS());
  bool Plain = Right.Linear && Right.Terms.empty();
  switch (Binary->getOpcode()) {
  case BO_Add:
  case BO_Sub:
    Left.add(Right, Binary->getOpcode() == BO_Add ? 1 : -1);
    return Left;
  case BO_Mul:
    if (Left.Linear && Left.Terms.empty()) {
      std::swap(Left, Right);
      Plain = true;
    }
    if (!Plain || !Left.Linear)
      break;
    for (OffsetTerm &Term : Left.Terms)
      Term.Factor *= Right.Constant;
    Left.Constant *= Right.Constant;
    if (Right.Constant == 0)
      Left.Terms.clear();
    return Left;
  case BO_Rem:
  case BO_And: {
    int64_t N = Right.Constant + (Binary->getOpcode() == BO_And);
    if (Plain && Left.Linear && N > 0 && (N & (N - 1)) == 0)
      return remainder(std::move(Left), N);
    break;
  }
  default:
    break;
  }
  Left.blur(Right);
  return Left;
}

OffsetSum OffsetReader::sizeOf(const UnaryExprOrTypeTraitExpr *E) const {
  OffsetSum Sum;
  if (!evaluate(E, Sum.Constant))
    Sum.Linear = false;
  if (E->getKind() == UETT_SizeOf)
    if (const RecordDecl *Record = E->getTypeOfArgument()->getAsRecordDecl())
      Sum.Sizes.push_back(Record->getDefinition());
  return Sum;
}

OffsetSum OffsetReader::read(const Expr *E) const {
  E = E->IgnoreParens();
  if (const auto *Offset = dyn_cast<OffsetOfExpr>(E))
    return ofOffsetOf(Offset);
  if (const auto *SizeOf = dyn_cast<UnaryExprOrTypeTraitExpr>(E))
    return sizeOf(SizeOf);
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_PointerToIntegral)
      if (OffsetSum Sum = ofNullMember(Cast->getSubExpr()); !Sum.Terms.empty())
        return Sum;
    if (Cast->getSubExpr()->getType()->isIntegralOrEnumerationType())
      return read(Cast->getSubExpr());
  }
  if (const auto *Binary = dyn_cast<BinaryOperator>(E);
      Binary && !Binary->isAssignmentOp() &&
      Binary->getLHS()->getType()->isIntegralOrEnumerationType())
    return binary(Binary);
  if (const auto *Unary = dyn_cast<UnaryOperator>(E);
      Unary && Unary->getOpcode() == UO_Minus) {
    OffsetSum Sum;
    Sum.add(read(Unary->getSubExpr()), -1);
    return Sum;
  }
  OffsetSum Sum;
  for (const Stmt *Child : E->children())
    if (const auto *Part = dyn_cast_or_null<Expr>(Child))
      if (Part->getType()->isIntegralOrEnumerationType())
        Sum.blur(read(Part));
  if (Sum.Terms.empty()) {
    Sum.Linear = evaluate(E, Sum.Constant);
    Sum.Varies |= !Sum.Linear;
  }
  return Sum;
}

} // namespace kst
