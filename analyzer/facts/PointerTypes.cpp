// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/PointerTypes.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace kst {

const RecordDecl *pointee(QualType Type) {
  const auto *Pointer = Type->getAs<PointerType>();
  return Pointer ? Pointer->getPointeeType()->getAsRecordDecl() : nullptr;
}

bool isComplete(const RecordDecl *Record) {
  return Record && Record->getDefinition() &&
         !Record->getDefinition()->isInvalidDecl();
}

const RecordDecl *outerPointee(QualType Type) {
  const auto *Pointer = Type->getAs<PointerType>();
  const RecordDecl *Record =
      Pointer ? pointee(Pointer->getPointeeType()) : nullptr;
  return isComplete(Record) ? Record->getDefinition() : nullptr;
}

bool forgetsType(QualType Type, unsigned Depth) {
  QualType Inner;
  if (const auto *Pointer = Type->getAs<PointerType>())
    Inner = Pointer->getPointeeType();
  else if (const ArrayType *Array = Type->getAsArrayTypeUnsafe())
    Inner = Array->getElementType();
  else
    return false;
  if (Inner->isVoidType() || Inner->isCharType())
    return true;
  if (const RecordDecl *Record = Inner->getAsRecordDecl())
    return !isComplete(Record);
  return Depth < 2 && forgetsType(Inner, Depth + 1);
}

bool isPointerNumber(const ASTContext &Context, QualType Type) {
  return Type->isIntegerType() &&
         Context.getTypeSize(Type) == Context.getTypeSize(Context.VoidPtrTy);
}

bool wasPointer(const Expr *E) {
  E = E->IgnoreParens();
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return Cast->getCastKind() == CK_PointerToIntegral ||
           (Cast->getSubExpr()->getType()->isIntegerType() &&
            wasPointer(Cast->getSubExpr()));
  const auto *Binary = dyn_cast<BinaryOperator>(E);
  return Binary &&
         (Binary->getOpcode() == BO_Or || Binary->getOpcode() == BO_And) &&
         wasPointer(Binary->getLHS());
}

const FunctionProtoType *pointedFunction(QualType Type) {
  if (const auto *Pointer = Type->getAs<PointerType>())
    Type = Pointer->getPointeeType();
  return Type->getAs<FunctionProtoType>();
}

QualType pointedScalar(QualType Pointer) {
  QualType Type =
      Pointer->isPointerType() ? Pointer->getPointeeType() : QualType();
  return !Type.isNull() && Type->isScalarType() && !Type->isCharType() &&
                 !Type->isBooleanType()
             ? Type
             : QualType();
}

const FunctionDecl *namedFunction(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (const auto *Unary = dyn_cast<UnaryOperator>(E);
      Unary && Unary->getOpcode() == UO_AddrOf)
    E = Unary->getSubExpr()->IgnoreParenCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  return Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr;
}

const FieldDecl *addressedMember(const Expr *E) {
  const auto *Address = dyn_cast<UnaryOperator>(E->IgnoreParens());
  const auto *Member =
      Address && Address->getOpcode() == UO_AddrOf
          ? dyn_cast<MemberExpr>(Address->getSubExpr()->IgnoreParens())
          : nullptr;
  return Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
}

const FieldDecl *calledMember(const CallExpr *Call) {
  const Expr *Callee = Call->getCallee()->IgnoreParenImpCasts();
  if (const auto *Deref = dyn_cast<UnaryOperator>(Callee);
      Deref && Deref->getOpcode() == UO_Deref)
    Callee = Deref->getSubExpr()->IgnoreParenImpCasts();
  const auto *Member = dyn_cast<MemberExpr>(Callee);
  return Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
}

} // namespace kst
