// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/Variables.h"

#include "analyzer/facts/FunctionTraits.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"

using namespace clang;

namespace kst {

namespace {

bool isZero(const Expr *Init, const ASTContext &Context) {
  Init = Init->IgnoreParenImpCasts();
  if (isa<ImplicitValueInitExpr>(Init))
    return true;
  if (const auto *List = dyn_cast<InitListExpr>(Init)) {
    if (List->isSyntacticForm() && List->getSemanticForm())
      List = List->getSemanticForm();
    for (const Expr *Part : List->inits())
      if (Part && !isZero(Part, Context))
        return false;
    return !List->hasArrayFiller() || isZero(List->getArrayFiller(), Context);
  }
  if (Init->isValueDependent())
    return false;
  if (const auto Number = Init->getIntegerConstantExpr(Context))
    return Number->isZero();
  return false;
}

} // namespace

void addVariableFact(FactsBuilder &Unit, const VarDecl *Var) {
  ASTContext &Context = Unit.context();
  const QualType Type = Var->getType();
  if (!Var->hasGlobalStorage() || Var->isInvalidDecl() ||
      Type->isDependentType() || Type->isIncompleteType() ||
      Type->isReferenceType() || Var->getDeclContext()->isDependentContext())
    return;
  if (Var->isThisDeclarationADefinition() != VarDecl::Definition &&
      Var->getActingDefinition() != Var)
    return;
  VariableFact Fact;
  Fact.Key = Unit.variableKey(Var);
  std::tie(Fact.File, Fact.Line) = Unit.place(Var->getLocation());
  Fact.SizeBytes = Context.getTypeSizeInChars(Type).getQuantity();
  Fact.AlignBytes = Context.getDeclAlign(Var).getQuantity();
  if (Var->hasInit() && !isZero(Var->getInit(), Context))
    Fact.Flags |= VarInitialized;
  if (Context.getBaseElementType(Type).isConstQualified())
    Fact.Flags |= VarConstant;
  if (Var->getTLSKind() != VarDecl::TLS_None || isPerCpu(Var))
    Fact.Flags |= VarOfThread;
  if (Var->hasAttr<SectionAttr>())
    Fact.Flags |= VarInSection;
  if (const QualType Of = Context.getBaseElementType(Type); Of->isRecordType())
    Fact.Record = Unit.pointee(Of);
  Unit.Facts.Variables.push_back(Fact);
}

} // namespace kst
