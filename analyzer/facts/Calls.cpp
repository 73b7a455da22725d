// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/Calls.h"

using namespace clang;

namespace kst {

bool takesThis(const FunctionDecl *Function) {
  const auto *Method = dyn_cast<CXXMethodDecl>(Function);
  return Method && Method->isImplicitObjectMemberFunction();
}

unsigned paramNumber(const ParmVarDecl *Param) {
  const auto *In = dyn_cast<FunctionDecl>(Param->getDeclContext());
  return Param->getFunctionScopeIndex() + (In && takesThis(In));
}

unsigned paramCount(const FunctionDecl *Function) {
  return Function->getNumParams() + takesThis(Function);
}

const FunctionDecl *enteredFunction(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  if (!Method || !Method->isVirtual())
    return Callee;
  const auto *Named =
      dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParenImpCasts());
  if (!Named)
    return nullptr;
  if (Named->hasQualifier()) // p->Base::f()
    return Callee;
  return Method->getDevirtualizedMethod(Named->getBase(),
                                        /*IsAppleKext=*/false);
}

llvm::SmallVector<const Expr *, 8> argumentsOf(const CallExpr *Call) {
  llvm::SmallVector<const Expr *, 8> All;
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(Call))
    if (const Expr *Object = Member->getImplicitObjectArgument())
      All.push_back(Object);
  All.append(Call->arg_begin(), Call->arg_end());
  // The object of a static operator() is looked at and not passed.
  if (isa<CXXOperatorCallExpr>(Call))
    if (const auto *Method =
            dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee());
        Method && Method->isStatic())
      All.erase(All.begin());
  return All;
}

bool copiesBytes(const FunctionDecl *Function) {
  if (const auto *Made = dyn_cast<CXXConstructorDecl>(Function))
    return Made->isCopyOrMoveConstructor() && Made->isTrivial();
  const auto *Method = dyn_cast<CXXMethodDecl>(Function);
  return Method && Method->isTrivial() &&
         (Method->isCopyAssignmentOperator() ||
          Method->isMoveAssignmentOperator());
}

static bool isThread(const CXXRecordDecl *Class) {
  return Class && Class->isInStdNamespace() && Class->getIdentifier() &&
         (Class->getName() == "thread" || Class->getName() == "jthread");
}
static bool isThread(QualType Type) {
  return isThread(Type.getNonReferenceType()->getAsCXXRecordDecl());
}

bool makesThread(const FunctionDecl *Function) {
  if (const auto *Made = dyn_cast<CXXConstructorDecl>(Function))
    return Made->getPrimaryTemplate() && isThread(Made->getParent());
  if (!Function->getIdentifier() || !Function->getNumParams())
    return false;
  const auto *Method = dyn_cast<CXXMethodDecl>(Function);
  if (!Method)
    return Function->isInStdNamespace() && Function->getName() == "async";
  const auto *In =
      dyn_cast<ClassTemplateSpecializationDecl>(Method->getParent());
  return In && In->isInStdNamespace() &&
         Function->getName().starts_with("emplace") &&
         In->getTemplateArgs().size() &&
         In->getTemplateArgs()[0].getKind() == TemplateArgument::Type &&
         isThread(In->getTemplateArgs()[0].getAsType()) &&
         !isThread(Function->getParamDecl(0)->getType());
}

const CXXMethodDecl *callOperator(const CXXRecordDecl *Class) {
  const CXXMethodDecl *Found = nullptr;
  for (const CXXMethodDecl *Method : Class->methods())
    if (Method->getOverloadedOperator() == OO_Call) {
      if (Found)
        return nullptr;
      Found = Method;
    }
  return Found;
}

const Expr *withoutWrapping(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    if (const auto *Full = dyn_cast<FullExpr>(E))
      E = Full->getSubExpr();
    else if (const auto *Bound = dyn_cast<CXXBindTemporaryExpr>(E))
      E = Bound->getSubExpr();
    else if (const auto *Arg = dyn_cast<CXXDefaultArgExpr>(E))
      E = Arg->getExpr();
    else if (const auto *Init = dyn_cast<CXXDefaultInitExpr>(E);
             Init && Init->getExpr())
      E = Init->getExpr();
    else if (const auto *Subst = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      E = Subst->getReplacement();
    else
      return E;
  }
}

} // namespace kst
