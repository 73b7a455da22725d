// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/DemandCollector.h"

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/AssemblyDemands.h"
#include "analyzer/facts/Assertions.h"
#include "analyzer/facts/Calls.h"
#include "analyzer/facts/ConstantBranches.h"
#include "analyzer/facts/CxxDemands.h"
#include "analyzer/facts/LocalDefinitions.h"
#include "analyzer/facts/MemberRanges.h"
#include "analyzer/facts/PointerSteps.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kst {

namespace {

/// Whether a member is named as one that holds a size.
bool isLengthName(const ValueDecl *Member) {
  return Member->getIdentifier() &&
         isA(NameKind::LengthMember, Member->getName());
}

/// Of `sizeof buf` for an array of bytes: how many, as its declaration says.
const Expr *writtenSize(const UnaryExprOrTypeTraitExpr *E) {
  if (E->isArgumentType())
    return nullptr;
  const Expr *Named = E->getArgumentExpr()->IgnoreParens();
  const DeclaratorDecl *Decl = nullptr;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Named))
    Decl = dyn_cast<DeclaratorDecl>(Ref->getDecl());
  else if (const auto *Member = dyn_cast<MemberExpr>(Named))
    Decl = dyn_cast<DeclaratorDecl>(Member->getMemberDecl());
  const TypeSourceInfo *Written = Decl ? Decl->getTypeSourceInfo() : nullptr;
  if (!Written)
    return nullptr;
  auto Array =
      Written->getTypeLoc().getUnqualifiedLoc().getAsAdjusted<ArrayTypeLoc>();
  const ArrayType *Type = Decl->getType()->getAsArrayTypeUnsafe();
  return Array && Type && Type->getElementType()->isCharType()
             ? Array.getSizeExpr()
             : nullptr;
}

} // namespace

void DemandCollector::visitInitializer(const CXXCtorInitializer *Init) {
  if (const FieldDecl *Member = Init->getAnyMember()) {
    Flows.addMember(Member, Init->getInit());
    addUses(Demands, Member, Init->getInit());
  }
  visit(Init->getInit());
}

void DemandCollector::visitChildren(const Stmt *S) {
  for (const Stmt *Child : S->children())
    if (Child)
      visit(Child);
}

OffsetSum DemandCollector::visitCast(const CastExpr *Cast) {
  const Expr *Sub = Cast->getSubExpr();
  switch (Cast->getCastKind()) {
  case CK_BitCast:
    Flows.addCast(Cast);
    if (!Dead) {
      Views.addCast(Cast);
      Opaque.addCast(Cast);
    }
    break;
  case CK_PointerToIntegral:
    if (OffsetSum Sum = Offsets.ofNullMember(Sub); !Sum.Terms.empty())
      return Sum;
    break;
  case CK_IntegralToPointer: {
    Flows.addCast(Cast);
    Opaque.addNumberCast(Cast);
    ++ToPointer;
    visit(Sub);
    --ToPointer;
    return {};
  }
  case CK_LValueToRValueBitCast:
    addBitCast(Demands, Cast);
    break;
  case CK_LValueToRValue:
  case CK_NoOp:
  case CK_IntegralCast:
    return visit(Sub);
  default:
    break;
  }
  visit(Sub);
  return {};
}

/// `off >= offsetof(m) && off < offsetofend(m)` asks for a single member.
void DemandCollector::finish(const Stmt *Body) {
  Views.addParts();
  Opaque.finish(Body);
  for (const Comparison &One : Comparisons)
    if (!One.Label && llvm::all_of(Comparisons, [&](const Comparison &Other) {
          return Other.Field != One.Field ||
                 (Other.Constant == One.Constant && !Other.Label);
        }))
      Demands.add(DemandKind::Compared, One.Field, One.Where);
}

OffsetSum DemandCollector::visitBinary(const BinaryOperator *Binary) {
  BinaryOperatorKind Op = Binary->getOpcode();
  if (Binary->isAssignmentOp()) {
    if (Op == BO_Assign)
      Flows.addAssignment(Binary->getLHS(), Binary->getRHS());
    const VarDecl *Var = namedLocal(Binary->getLHS());
    if (Var && Op != BO_Assign && Var->getType()->isPointerType()) {
      Views.addStep(Binary->getLHS(), nullptr, Binary->getExprLoc());
      Views.addSkip(Binary->getLHS(), Binary->getRHS(), Binary->getExprLoc());
    }
    if (Var && Op != BO_Assign)
      Opaque.setLocal(Var, nullptr);
    if (Var)
      setAddress(Var, Binary->getRHS());
    else
      visit(Binary->getLHS());
    OffsetSum Value = visit(Binary->getRHS());
    if (Var && Op == BO_AddAssign)
      Opaque.addStep(Binary->getLHS(), Binary->getRHS(), Value,
                     Binary->getExprLoc());
    if (const auto *Member = dyn_cast<MemberExpr>(Binary->getLHS()))
      if (const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl()))
        Opaque.numbers().addMember(Field, Binary->getRHS());
    if (const auto *Member = dyn_cast<MemberExpr>(Binary->getLHS());
        Member && Value.Varies && isLengthName(Member->getMemberDecl()))
      addFor(Value, DemandKind::Tail, Binary->getExprLoc());
    if (!Var || !Var->getType()->isIntegerType())
      return {};
    if (Op == BO_SubAssign && !Value.Terms.empty() && !Values.isSet(Var))
      addFor(Value, DemandKind::Distance, Binary->getExprLoc());
    Values.set(Var, Value);
    return Value;
  }
  if (Op == BO_Comma) {
    visit(Binary->getLHS());
    return visit(Binary->getRHS());
  }
  bool Pointers = Binary->getLHS()->getType()->isPointerType() &&
                  Binary->getRHS()->getType()->isPointerType();
  if (Pointers && Op == BO_Sub)
    return visitPointerDifference(Binary);
  if (Pointers && Binary->isComparisonOp()) {
    Opaque.addComparison(Binary);
    visitPointerComparison(Binary);
    return {};
  }
  if (Op == BO_Add && Binary->getType()->isPointerType()) {
    bool Left = Binary->getLHS()->getType()->isPointerType();
    const Expr *Pointer = Left ? Binary->getLHS() : Binary->getRHS();
    const Expr *Index = Left ? Binary->getRHS() : Binary->getLHS();
    Views.addSkip(Pointer, Index, Binary->getExprLoc());
    visitStep(Pointer, Index, Binary->getExprLoc());
    return {};
  }
  if (Binary->isLogicalOp() || !Binary->getLHS()->getType()->isIntegerType() ||
      !Binary->getRHS()->getType()->isIntegerType()) {
    visitChildren(Binary);
    return {};
  }
  if (!Binary->isComparisonOp())
    return visitArithmetic(Binary);
  Opaque.addComparison(Binary);
  visitComparison(Binary);
  return {};
}

void DemandCollector::visitStep(const Expr *Pointer, const Expr *Index,
                                SourceLocation Where) {
  addStep(Demands, Offsets, Pointer, Index, Where);
  Views.addStep(Pointer, Index, Where);
  visit(Pointer);
  Opaque.addStep(Pointer, Index, visit(Index), Where);
}

OffsetSum DemandCollector::visitCall(const CallExpr *Call) {
  visit(Call->getCallee());
  Flows.addCall(Call);
  const auto Held = Views.addArguments(Call);
  OffsetSum First;
  for (unsigned I = 0; I != Call->getNumArgs(); ++I) {
    OffsetSum Value = visit(Call->getArg(I));
    addCount(Demands, Call, I, Value);
    Opaque.addArgument(Call, I, Value, Held);
    if (I == 0)
      First = std::move(Value);
    else if (Value.Terms.empty())
      addOverrun(Demands, Offsets, Call, I);
  }
  return isPassThrough(Call) ? First : Values.returned(Call);
}

OffsetSum DemandCollector::visitBlock(const StmtExpr *Block) {
  OffsetSum Last;
  for (const Stmt *S : Block->getSubStmt()->body())
    Last = visit(S);
  return Last;
}

/// BUILD_BUG_ON_ZERO: `sizeof(struct { int : -!!(Condition); })`.
OffsetSum DemandCollector::visitSizeOf(const UnaryExprOrTypeTraitExpr *E) {
  OffsetSum Sum;
  if (E->getKind() != UETT_SizeOf)
    return Sum;
  if (const Expr *Size = writtenSize(E); Size && mentionsOffset(Size))
    return Offsets.read(Size);
  const RecordDecl *Record = E->getTypeOfArgument()->getAsRecordDecl();
  Record = Record ? Record->getDefinition() : nullptr;
  if (!Record)
    return Sum;
  if (E->isArgumentType() && !Record->getIdentifier())
    for (const FieldDecl *Field : Record->fields())
      if (Field->isUnnamedBitField())
        if (const auto *Minus = dyn_cast<UnaryOperator>(
                Field->getBitWidth()->IgnoreParenImpCasts()))
          addAssertion(Demands, Minus->getSubExpr());
  Sum.Sizes.push_back(Record);
  return Sum;
}

void DemandCollector::visitDeclarations(const DeclStmt *Decls) {
  for (const Decl *D : Decls->decls()) {
    if (const auto *Assertion = dyn_cast<StaticAssertDecl>(D)) {
      addAssertion(Demands, Assertion->getAssertExpr());
      continue;
    }
    const auto *Var = dyn_cast<VarDecl>(D);
    if (Var)
      Flows.addCleanup(Var);
    if (!Var || !Var->getInit())
      continue;
    if (const auto *Names = dyn_cast<DecompositionDecl>(Var))
      addBindings(Demands, Names);
    Flows.addVariable(Var);
    Opaque.numbers().addVariable(Var);
    OffsetSum Value = visit(Var->getInit());
    setAddress(Var, Var->getInit());
    if (Var->hasLocalStorage() && Var->getType()->isIntegerType())
      Values.set(Var, Value);
  }
}

void DemandCollector::visitCase(const CaseStmt *Case) {
  // `case offsetof(a) ... offsetofend(b) - 1`
  if (Case->getRHS() && mentionsOffset(Case->getRHS()))
    addOverruns(Offsets.read(Case->getLHS()), Offsets.read(Case->getRHS()),
                Case->getCaseLoc());
  for (const Expr *Label : {Case->getLHS(), Case->getRHS()})
    if (Label)
      for (const OffsetTerm &Term : visit(Label).Terms)
        Comparisons.push_back({Term.Field, 0, Case->getCaseLoc(), true});
  visit(Case->getSubStmt());
}

void DemandCollector::visitAsm(const GCCAsmStmt *Asm) {
  for (unsigned I = 0; I != Asm->getNumOutputs(); ++I)
    visit(Asm->getOutputExpr(I));
  for (unsigned I = 0; I != Asm->getNumInputs(); ++I)
    addFor(visit(Asm->getInputExpr(I)), DemandKind::Assembly, Asm->getAsmLoc());
  addAssembly(Demands, Offsets, Asm);
  Opaque.addAsm(Asm);
}

/// Without names, the order of the values is that of the fields. A list of
/// which the source shows nothing was made for braces left out, or for a
/// member of a member that is named: the list around it tells.
void DemandCollector::visitList(const InitListExpr *List, bool AroundUnnamed) {
  if (List->isSyntacticForm() && List->getSemanticForm())
    List = List->getSemanticForm();
  const InitListExpr *Written = List->getSyntacticForm();
  bool Unnamed = AroundUnnamed, InnerUnnamed = AroundUnnamed;
  if (Written && Demands.unit().context().getLangOpts().CPlusPlus)
    addDesignators(Demands, Written);
  if (Written) {
    Unnamed = hasUnnamed(Written, /*Lists=*/true);
    InnerUnnamed = hasUnnamed(Written, /*Lists=*/false);
  }
  for (const Expr *Init : List->inits()) {
    if (const auto *Inner = dyn_cast_or_null<InitListExpr>(Init))
      visitList(Inner, InnerUnnamed);
    else if (Init)
      visit(Init);
  }
  const RecordDecl *Record = List->getType()->getAsRecordDecl();
  if (Record)
    forEachInit(List, [&](const FieldDecl *Field, const Expr *Init) {
      Flows.addMember(Field, Init);
      Opaque.numbers().addMember(Field, Init);
    });
  if (Record && !Record->isUnion())
    addRow(Demands, Offsets, List);
  if (!Unnamed || !Record || Record->isUnion() ||
      (Written && isZero(Written, Demands.unit().context())))
    return;
  if (const FieldDecl *Last = lastInitialised(List))
    Demands.add(DemandKind::Positional, Last, List->getBeginLoc());
}

void DemandCollector::visitUnary(const UnaryOperator *Unary) {
  const Expr *Sub = Unary->getSubExpr();
  if (Unary->isIncrementDecrementOp() && Sub->getType()->isPointerType())
    Views.addStep(Sub, nullptr, Unary->getExprLoc());
  if (Unary->isIncrementDecrementOp()) {
    if (const VarDecl *Var = namedLocal(Sub))
      Opaque.setLocal(Var, nullptr);
    if (Sub->getType()->isPointerType())
      Opaque.addStep(Sub, nullptr, {}, Unary->getExprLoc());
  }
  if (Unary->getOpcode() != UO_Deref)
    return;
  addDereference(Demands, Offsets, Sub, Unary->getExprLoc());
  Views.addDereference(Sub, Unary->getExprLoc());
}

template <typename Branching>
void DemandCollector::visitBranches(const Branching *S) {
  for (const Stmt *Before :
       {S->getInit(),
        static_cast<const Stmt *>(S->getConditionVariableDeclStmt()),
        static_cast<const Stmt *>(S->getCond())})
    if (Before)
      visit(Before);
  forEachBranch(S, Offsets, [&](const Stmt *Branch, bool Closed) {
    Dead += Closed;
    visit(Branch);
    Dead -= Closed;
  });
}

OffsetSum DemandCollector::visit(const Stmt *S) {
  if (const auto *Cast = dyn_cast<CastExpr>(S))
    return visitCast(Cast);
  if (const auto *Binary = dyn_cast<BinaryOperator>(S))
    return visitBinary(Binary);
  switch (S->getStmtClass()) {
  case Stmt::DeclRefExprClass:
    return Values.named(cast<DeclRefExpr>(S)->getDecl());
  case Stmt::MemberExprClass:
    visit(cast<MemberExpr>(S)->getBase());
    return {};
  case Stmt::ParenExprClass:
    return visit(cast<ParenExpr>(S)->getSubExpr());
  case Stmt::ConstantExprClass:
    return visit(cast<ConstantExpr>(S)->getSubExpr());
  case Stmt::OffsetOfExprClass:
    return Offsets.ofOffsetOf(cast<OffsetOfExpr>(S));
  case Stmt::UnaryExprOrTypeTraitExprClass:
    return visitSizeOf(cast<UnaryExprOrTypeTraitExpr>(S));
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
    return visitCall(cast<CallExpr>(S));
  case Stmt::ExprWithCleanupsClass:
  case Stmt::CXXDefaultArgExprClass:
  case Stmt::CXXDefaultInitExprClass:
  case Stmt::CXXBindTemporaryExprClass:
    if (const Expr *Inner = withoutWrapping(cast<Expr>(S)); Inner != S)
      return visit(Inner);
    return {};
  case Stmt::LambdaExprClass: // its body is a function of its own
    for (const Expr *Init : cast<LambdaExpr>(S)->capture_inits())
      if (Init)
        visit(Init);
    return {};
  case Stmt::CXXNoexceptExprClass: // these run nothing
  case Stmt::CXXTypeidExprClass:
  case Stmt::RequiresExprClass:
    return {};
  case Stmt::CXXParenListInitExprClass: {
    const auto *List = cast<CXXParenListInitExpr>(S);
    addParenList(Demands, List, List->getUserSpecifiedInitExprs().size());
    break;
  }
  case Stmt::StmtExprClass:
    return visitBlock(cast<StmtExpr>(S));
  case Stmt::GenericSelectionExprClass:
    return visit(cast<GenericSelectionExpr>(S)->getResultExpr());
  case Stmt::ChooseExprClass:
    return visit(cast<ChooseExpr>(S)->getChosenSubExpr());
  case Stmt::ConditionalOperatorClass: {
    const auto *Either = cast<ConditionalOperator>(S);
    visit(Either->getCond());
    OffsetSum Value = visit(Either->getTrueExpr());
    Value.blur(visit(Either->getFalseExpr()));
    return Value;
  }
  case Stmt::IfStmtClass:
    if (const Expr *Condition = buildAssertion(cast<IfStmt>(S)))
      addAssertion(Demands, Condition);
    else
      visitBranches(cast<IfStmt>(S));
    return {};
  case Stmt::DeclStmtClass:
    visitDeclarations(cast<DeclStmt>(S));
    return {};
  case Stmt::ArraySubscriptExprClass: {
    const auto *Index = cast<ArraySubscriptExpr>(S);
    visitStep(Index->getBase(), Index->getIdx(), Index->getExprLoc());
    return {};
  }
  case Stmt::UnaryOperatorClass:
    visitUnary(cast<UnaryOperator>(S));
    break;
  case Stmt::SwitchStmtClass:
    visitBranches(cast<SwitchStmt>(S));
    return {};
  case Stmt::ReturnStmtClass:
    if (const Expr *Value = cast<ReturnStmt>(S)->getRetValue()) {
      Flows.addReturn(Value);
      visit(Value);
    }
    return {};
  case Stmt::CaseStmtClass:
    visitCase(cast<CaseStmt>(S));
    return {};
  case Stmt::GCCAsmStmtClass:
    visitAsm(cast<GCCAsmStmt>(S));
    return {};
  case Stmt::InitListExprClass:
    visitList(cast<InitListExpr>(S), false);
    return {};
  default:
    break;
  }
  visitChildren(S);
  return {};
}

} // namespace kst
