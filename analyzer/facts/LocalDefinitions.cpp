// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/LocalDefinitions.h"

#include "analyzer/facts/Calls.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace kst {

const VarDecl *namedLocal(const Expr *Lvalue) {
  Lvalue = Lvalue->IgnoreParenCasts();
  // `*(volatile T *)&v`: the once-accessors around a local variable.
  while (const auto *Outer = dyn_cast<UnaryOperator>(Lvalue)) {
    if (Outer->getOpcode() != UO_Deref)
      break;
    const auto *Inner =
        dyn_cast<UnaryOperator>(Outer->getSubExpr()->IgnoreParenCasts());
    if (!Inner || Inner->getOpcode() != UO_AddrOf)
      return nullptr;
    Lvalue = Inner->getSubExpr()->IgnoreParenCasts();
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(Lvalue);
  const auto *Var = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return Var && Var->hasLocalStorage() && !Var->getType()->isReferenceType() &&
                 !Ref->refersToEnclosingVariableOrCapture()
             ? Var
             : nullptr;
}

LocalDefinitions::LocalDefinitions(const CFG &Graph) {
  for (const CFGBlock *Block : Graph)
    for (const CFGElement &Element : *Block)
      if (auto Statement = Element.getAs<CFGStmt>())
        visit(Statement->getStmt(), Block->getBlockID());
}

const LocalVariable *LocalDefinitions::find(const VarDecl *Var) const {
  auto It = Variables.find(Var);
  return It == Variables.end() ? nullptr : &It->second;
}

/// What is passed as an lvalue, which only C++ does, the callee may set.
void LocalDefinitions::visitArguments(const Stmt *Call) {
  llvm::ArrayRef<const Expr *> Args;
  const FunctionDecl *Callee = nullptr;
  if (const auto *Plain = dyn_cast<CallExpr>(Call)) {
    Args = {Plain->getArgs(), Plain->getNumArgs()};
    Callee = Plain->getDirectCallee();
  } else if (const auto *Made = dyn_cast<CXXConstructExpr>(Call)) {
    Args = {Made->getArgs(), Made->getNumArgs()};
    Callee = Made->getConstructor();
  }
  if (Callee && makesThread(Callee))
    return; // it copies them
  for (const Expr *Arg : Args)
    if (Arg->isGLValue())
      if (const VarDecl *Var = namedLocal(Arg))
        Variables[Var].AddressTaken = true;
}

void LocalDefinitions::visit(const Stmt *Statement, unsigned Block) {
  auto Add = [&](const VarDecl *Var, LocalDefinition::Form How,
                 const Expr *Value, const GCCAsmStmt *From = nullptr) {
    Variables[Var].Definitions.push_back({How, Value, From, Block});
  };
  if (const auto *Decls = dyn_cast<DeclStmt>(Statement)) {
    for (const Decl *D : Decls->decls())
      if (const auto *Var = dyn_cast<VarDecl>(D))
        if (Var->hasLocalStorage() && Var->getInit()) {
          const bool Reference = Var->getType()->isReferenceType();
          Add(Var,
              Reference ? LocalDefinition::Bound : LocalDefinition::Assigned,
              Var->getInit());
          if (Reference)
            if (const VarDecl *Other = namedLocal(Var->getInit()))
              Variables[Other].AddressTaken = true;
        }
    return;
  }
  visitArguments(Statement);
  if (const auto *Binary = dyn_cast<BinaryOperator>(Statement)) {
    if (!Binary->isAssignmentOp())
      return;
    const VarDecl *Var = namedLocal(Binary->getLHS());
    if (!Var)
      return;
    if (Binary->getOpcode() == BO_Assign)
      Add(Var, LocalDefinition::Assigned, Binary->getRHS());
    else if (Binary->getOpcode() == BO_AddAssign)
      Add(Var, LocalDefinition::Added, Binary->getRHS());
    else
      Add(Var, LocalDefinition::Changed, nullptr);
    return;
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(Statement)) {
    const VarDecl *Var = namedLocal(Unary->getSubExpr());
    if (Var && Unary->isIncrementDecrementOp())
      Add(Var, LocalDefinition::Added, nullptr);
    else if (Var && Unary->getOpcode() == UO_AddrOf)
      Variables[Var].AddressTaken = true;
    return;
  }
  if (const auto *Asm = dyn_cast<GCCAsmStmt>(Statement))
    for (unsigned I = 0, E = Asm->getNumOutputs(); I != E; ++I)
      if (const VarDecl *Var = namedLocal(Asm->getOutputExpr(I)))
        Add(Var, LocalDefinition::Asm, nullptr, Asm);
}

} // namespace kst
