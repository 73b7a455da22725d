// SPDX-License-Identifier: GPL-2.0-or-later
//
// What only C++ expressions denote: see ValueBuilder.h.

#include "analyzer/facts/Calls.h"
#include "analyzer/facts/ValueBuilder.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace kst {

/// The variable of the function around, as the closure holds it.
ValueId ValueBuilder::captured(const ValueDecl *Var) {
  const FieldDecl *Held = Captures.lookup(Var);
  ValueId Place = field(thisObject(), Held);
  return Held->getType()->isReferenceType() ? loadFrom(Place) : Place;
}

ValueId ValueBuilder::capturedThis() {
  if (!ThisCapture)
    return unknown();
  ValueId Place = field(thisObject(), ThisCapture);
  return ThisCapture->getType()->isPointerType() ? loadFrom(Place) : Place;
}

ValueId ValueBuilder::cxxRvalue(const Expr *E) {
  if (isa<CXXThisExpr>(E))
    return InClosure ? capturedThis() : thisObject();
  if (isa<CXXNullPtrLiteralExpr>(E))
    return constant(0);
  if (const auto *Bool = dyn_cast<CXXBoolLiteralExpr>(E))
    return constant(Bool->getValue());
  if (const auto *New = dyn_cast<CXXNewExpr>(E)) {
    if (New->getOperatorNew() &&
        New->getOperatorNew()->isReservedGlobalPlacementOperator())
      return rvalue(New->getPlacementArg(0));
    return make(ValueKind::Call, CallIndex(New));
  }
  if (const auto *Same = dyn_cast<CXXRewrittenBinaryOperator>(E))
    return rvalue(Same->getSemanticForm());
  return unknown();
}

ValueId ValueBuilder::cxxAddress(const Expr *E) {
  if (const auto *Made = dyn_cast<MaterializeTemporaryExpr>(E))
    return temporary(Made);
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return call(Call);
  if (const auto *Cond = dyn_cast<AbstractConditionalOperator>(E))
    return choice(
        {address(Cond->getTrueExpr()), address(Cond->getFalseExpr())});
  if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    if (Binary->isAssignmentOp())
      return address(Binary->getLHS());
    return Binary->getOpcode() == BO_Comma ? address(Binary->getRHS())
                                           : unknown();
  }
  if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
    return Opaque->getSourceExpr() && Opaque->getSourceExpr()->isGLValue()
               ? address(Opaque->getSourceExpr())
               : unknown();
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    const auto *Static = dyn_cast<VarDecl>(Member->getMemberDecl());
    return Static ? variableAddress(Static) : unknown();
  }
  // One name of a structured binding.
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *Name = Ref ? dyn_cast<BindingDecl>(Ref->getDecl()) : nullptr;
  if (Name && Name->getBinding())
    return address(Name->getBinding());
  return unknown();
}

} // namespace kst
