// SPDX-License-Identifier: GPL-2.0-or-later
//
// What C++ adds to the walk over a body: objects that are made and ended,
// closures, members that are references.

#include "analyzer/facts/BodyExtractor.h"
#include "analyzer/facts/Calls.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace kst {

uint32_t BodyExtractor::sizeOf(QualType Type) const {
  Type = Type.getNonReferenceType();
  return Type->isIncompleteType() || Type->isDependentType()
             ? 0
             : Unit.context().getTypeSizeInChars(Type).getQuantity();
}

/// Remembers where an object that an expression makes will be.
void BodyExtractor::noteHome(const Expr *Made, Home Where) {
  for (Made = withoutWrapping(Made);;) {
    if (const auto *Cast = dyn_cast<CastExpr>(Made);
        Cast && Made->isPRValue() && Made->getType()->isRecordType())
      Made = withoutWrapping(Cast->getSubExpr());
    else
      break;
  }
  Homes[Made] = Where;
}

/// Graphs name an object after the expressions that make it.
void BodyExtractor::findHomes() {
  if (!Unit.context().getLangOpts().CPlusPlus)
    return;
  for (const CFGBlock *Node : Graph)
    for (const CFGElement &Element : *Node) {
      if (auto Init = Element.getAs<CFGInitializer>()) {
        const CXXCtorInitializer *Of = Init->getInitializer();
        noteHome(Of->getInit(), {nullptr, Of->getMember(), nullptr,
                                 !Of->isAnyMemberInitializer()});
        continue;
      }
      auto Statement = Element.getAs<CFGStmt>();
      if (!Statement)
        continue;
      if (const auto *Decls = dyn_cast<DeclStmt>(Statement->getStmt())) {
        for (const Decl *D : Decls->decls())
          if (const auto *Var = dyn_cast<VarDecl>(D); Var && Var->getInit())
            noteHome(Var->getInit(), {Var, nullptr, nullptr, false});
      } else if (const auto *New = dyn_cast<CXXNewExpr>(Statement->getStmt())) {
        if (const Expr *Init = New->getInitializer())
          noteHome(Init, {nullptr, nullptr, New, false});
      }
    }
}

ValueId BodyExtractor::homeOf(const Expr *Made) {
  const Home Where = Homes.lookup(Made);
  if (Where.Variable && !Where.Variable->getType()->isReferenceType())
    return Values.variableAddress(Where.Variable);
  if (Where.Member)
    return Values.field(Values.thisObject(), Where.Member);
  if (Where.New)
    return Values.rvalue(Where.New);
  return Where.This ? Values.thisObject() : Values.temporary(Made);
}

void BodyExtractor::addCall(const FunctionDecl *Callee, ValueId Object,
                            llvm::ArrayRef<const Expr *> Args,
                            SourceLocation Where) {
  Entered.push_back(Callee);
  CallFact Fact;
  Fact.Callee = Unit.functionKey(Callee);
  Fact.Block = Rows.Block;
  std::tie(Fact.File, Fact.Line) = Unit.place(Where);
  std::vector<uint32_t> Passed;
  if (Object != None) {
    Fact.PointerArgs = 1;
    Passed.push_back(Object);
  }
  for (const Expr *Arg : Args)
    if (makesThread(Callee))
      addCopied(Fact, Passed, Arg);
    else
      addArgument(Fact, Passed, Arg, false);
  Fact.Order = Rows.Order++;
  Rows.Calls.push_back(Fact);
  Rows.CallArgs.push_back(std::move(Passed));
  SeenInBlock.clear();
}

/// An argument of which a thread gets a copy: of an object that is called, the
/// function and the object.
void BodyExtractor::addCopied(CallFact &Call, std::vector<uint32_t> &Args,
                              const Expr *Arg) {
  const Expr *Given = withoutWrapping(Arg);
  if (const auto *Made = dyn_cast<MaterializeTemporaryExpr>(Given))
    Given = withoutWrapping(Made->getSubExpr());
  Given = Given->IgnoreImplicit();
  if (Given->getType()->isScalarType()) {
    Args.push_back(Given->isGLValue() ? Values.load(Given)
                                      : Values.rvalue(Given));
    return;
  }
  const CXXRecordDecl *Class = Given->getType()->getAsCXXRecordDecl();
  const auto *Ref = dyn_cast<CallExpr>(Given);
  const FunctionDecl *Of = Ref ? Ref->getDirectCallee() : nullptr;
  if (Of && Of->isInStdNamespace() && Of->getIdentifier() &&
      (Of->getName() == "ref" || Of->getName() == "cref") &&
      Ref->getNumArgs() == 1 && Ref->getArg(0)->isGLValue()) {
    Args.push_back(Values.address(Ref->getArg(0)));
    return;
  }
  if (Class && Class->hasDefinition() && callOperator(Class))
    Args.push_back(Values.function(callOperator(Class)));
  addArgument(Call, Args, Arg, false);
}

void BodyExtractor::visitConstruct(const CXXConstructExpr *Made) {
  const CXXConstructorDecl *With = Made->getConstructor();
  const ValueId Where = homeOf(Made);
  const uint32_t Size = sizeOf(Made->getType());
  const SourceLocation At = Made->getExprLoc();
  if (Made->requiresZeroInitialization())
    accessAt(Where, AccessForm::BulkWrite, At, 0, Size);
  if (copiesBytes(With) && Made->getNumArgs()) {
    access(Made->getArg(0), AccessForm::Read, At);
    accessAt(Where, AccessForm::BulkWrite, At, 0, Size);
    Stores.storePointers(Where, Made->getArg(0));
    return;
  }
  if (With->isTrivial())
    return;
  addCall(With, Where, {Made->getArgs(), Made->getNumArgs()}, At);
}

/// `*p = *q` of classes without an operator of their own.
bool BodyExtractor::visitCopy(const CallExpr *Call) {
  const FunctionDecl *Callee = enteredFunction(Call);
  if (!Callee || !copiesBytes(Callee))
    return false;
  const auto Args = argumentsOf(Call);
  Callees.insert(Call->getCallee()->IgnoreParenImpCasts());
  access(Args[1], AccessForm::Read, Call->getExprLoc());
  access(Args[0], AccessForm::Write, Call->getExprLoc());
  Stores.storePointers(Values.address(Args[0]), Args[1]);
  return true;
}

uint32_t BodyExtractor::newIndex(const CXXNewExpr *New) {
  auto [It, First] = CallIndices.try_emplace(New, Rows.Calls.size());
  const uint32_t Index = It->second;
  if (!First)
    return Index;
  CallFact Fact;
  if (const FunctionDecl *Allocate = New->getOperatorNew()) {
    Fact.Callee = Unit.functionKey(Allocate);
    Entered.push_back(Allocate);
  }
  Fact.Block = Rows.Block;
  Fact.Order = Rows.Order++;
  std::tie(Fact.File, Fact.Line) = Unit.place(New->getExprLoc());
  Rows.Calls.push_back(Fact);
  Rows.CallArgs.push_back({None}); // the size
  return Index;
}

/// What is made by a list or a number and not by a constructor.
void BodyExtractor::visitNew(const CXXNewExpr *New) {
  const ValueId Where = Values.rvalue(New);
  const Expr *Init = New->getInitializer();
  if (!Init || isa<CXXConstructExpr>(withoutWrapping(Init)))
    return;
  accessAt(Where,
           Init->getType()->isScalarType() ? AccessForm::Write
                                           : AccessForm::BulkWrite,
           New->getExprLoc(), 0, sizeOf(New->getAllocatedType()));
  Stores.initialise(Where, Init);
}

void BodyExtractor::visitDelete(const CXXDeleteExpr *Delete) {
  const FunctionDecl *Free = Delete->getOperatorDelete();
  if (!Free || Delete->getArgument()->getType()->isDependentType())
    return;
  addCall(Free, Values.rvalue(Delete->getArgument()), {}, Delete->getExprLoc());
}

void BodyExtractor::visitLambda(const LambdaExpr *Lambda) {
  const ValueId Where = homeOf(Lambda);
  auto Held = Lambda->getLambdaClass()->field_begin();
  for (const Expr *Init : Lambda->capture_inits()) {
    const FieldDecl *Member = *Held++;
    if (!Init)
      continue;
    const ValueId Place = Values.field(Where, Member);
    if (Member->getType()->isReferenceType() && Init->isGLValue())
      Stores.add(Place, Values.address(Init));
    else
      Stores.store(Place, Init);
  }
}

/// The member that an initialiser sets, which may be one of an anonymous union.
ValueId BodyExtractor::memberOfThis(const CXXCtorInitializer *Init) {
  if (const FieldDecl *Member = Init->getMember())
    return Values.field(Values.thisObject(), Member);
  ValueId Place = Values.thisObject();
  for (const NamedDecl *Step : Init->getIndirectMember()->chain())
    Place = Values.field(Place, cast<FieldDecl>(Step));
  return Place;
}

void BodyExtractor::visitInitializer(const CXXCtorInitializer *Init) {
  if (!Init->isAnyMemberInitializer())
    return; // a base: its constructor is a call of its own
  const Expr *Value = withoutWrapping(Init->getInit());
  if (isa<CXXConstructExpr>(Value))
    return;
  const QualType Type = Init->getAnyMember()->getType();
  const ValueId Place = memberOfThis(Init);
  const bool Bulk = Type->isRecordType() || Type->isArrayType();
  SourceLocation At =
      Init->isWritten() ? Init->getSourceLocation() : Value->getExprLoc();
  if (At.isInvalid())
    At = Function->getLocation();
  accessAt(Place, Bulk ? AccessForm::BulkWrite : AccessForm::Write, At, 0,
           Type->isReferenceType()
               ? Unit.context()
                     .getTypeSizeInChars(Unit.context().VoidPtrTy)
                     .getQuantity()
               : sizeOf(Type));
  if (Value->isGLValue())
    Stores.add(Place, Values.address(Value));
  else if (Bulk)
    Stores.initialise(Place, Value);
  else
    Stores.store(Place, Value);
}

/// clang's graph does not say it of bases and members.
static const CXXDestructorDecl *endedBy(const CFGImplicitDtor &Element,
                                        ASTContext &Context) {
  QualType Type;
  if (auto Base = Element.getAs<CFGBaseDtor>())
    Type = Base->getBaseSpecifier()->getType();
  else if (auto Member = Element.getAs<CFGMemberDtor>())
    Type = Context.getBaseElementType(Member->getFieldDecl()->getType());
  else
    return Element.getDestructorDecl(Context);
  const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
  return Class ? Class->getDestructor() : nullptr;
}

void BodyExtractor::visitDestructor(const CFGImplicitDtor &Element) {
  const CXXDestructorDecl *Ended = endedBy(Element, Unit.context());
  if (!Ended || Ended->isTrivial())
    return;
  ValueId Object = None;
  SourceLocation At = Function->getLocation();
  if (auto Local = Element.getAs<CFGAutomaticObjDtor>()) {
    const VarDecl *Var = Local->getVarDecl();
    Object = Var->getType()->isReferenceType() ? None : Values.object(Var);
    At = Var->getLocation();
  } else if (auto Member = Element.getAs<CFGMemberDtor>()) {
    Object = Values.field(Values.thisObject(), Member->getFieldDecl());
  } else if (Element.getAs<CFGBaseDtor>()) {
    Object = Values.thisObject();
  } else if (auto Deleted = Element.getAs<CFGDeleteDtor>()) {
    const CXXDeleteExpr *Delete = Deleted->getDeleteExpr();
    Object = Values.rvalue(Delete->getArgument());
    At = Delete->getExprLoc();
    // Which class it is of is not known.
    if (Ended->isVirtual() && !Ended->getParent()->isEffectivelyFinal()) {
      Mentions.push_back({nullptr, Ended});
      return;
    }
  }
  if (Object == None)
    return;
  addCall(Ended, Object, {}, At);
}

/// `__attribute__((cleanup(unlock))) struct lock *held = lock(p);`: the call
/// where the variable's scope ends.
void BodyExtractor::visitCleanup(const VarDecl *Left,
                                 const FunctionDecl *With) {
  const ValueId Address = Values.object(Left);
  if (Left->getInit() && Left->getType()->isPointerType())
    Stores.store(Address, Left->getInit());
  addCall(With, Address, {}, Left->getLocation());
}

void BodyExtractor::visitElement(const CFGElement &Element) {
  if (auto Init = Element.getAs<CFGInitializer>())
    visitInitializer(Init->getInitializer());
  else if (auto Ended = Element.getAs<CFGImplicitDtor>())
    visitDestructor(*Ended);
  else if (auto Left = Element.getAs<CFGCleanupFunction>())
    visitCleanup(Left->getVarDecl(), Left->getFunctionDecl());
}

/// Whether the statement is one that only C++ has.
bool BodyExtractor::visitCxx(const Stmt *Statement) {
  if (const auto *Member = dyn_cast<MemberExpr>(Statement)) {
    if (const auto *Method = dyn_cast<CXXMethodDecl>(Member->getMemberDecl()))
      Mentions.push_back({Member, Method});
    else if (const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
             Field && Field->getType()->isReferenceType()) {
      const Expr *Base = Member->getBase();
      const ValueId Of = Member->isArrow()   ? Values.rvalue(Base)
                         : Base->isGLValue() ? Values.address(Base)
                                             : None;
      if (Of != None)
        accessAt(Values.field(Of, Field), AccessForm::Read,
                 Member->getMemberLoc(), 0, sizeOf(Unit.context().VoidPtrTy));
    }
    return true;
  }
  if (const auto *Made = dyn_cast<CXXConstructExpr>(Statement))
    visitConstruct(Made);
  else if (const auto *Inherited =
               dyn_cast<CXXInheritedCtorInitExpr>(Statement)) {
    addCall(Inherited->getConstructor(), Values.thisObject(), {},
            Inherited->getExprLoc());
  } else if (const auto *New = dyn_cast<CXXNewExpr>(Statement))
    visitNew(New);
  else if (const auto *Delete = dyn_cast<CXXDeleteExpr>(Statement))
    visitDelete(Delete);
  else if (const auto *Lambda = dyn_cast<LambdaExpr>(Statement))
    visitLambda(Lambda);
  else if (const auto *Cast = dyn_cast<CastExpr>(Statement);
           Cast && Cast->getCastKind() == CK_LValueToRValueBitCast)
    access(Cast->getSubExpr(), AccessForm::Read, Cast->getExprLoc());
  else
    return false;
  return true;
}

/// Whoever makes an object of a class with virtual functions, or their table,
/// lets others enter them.
void BodyExtractor::mentionVirtuals() {
  const auto *Own = dyn_cast<CXXMethodDecl>(Function);
  if (!Own || !Own->getParent()->isDynamicClass())
    return;
  // The table of a class is where its key function is.
  if (!isa<CXXConstructorDecl>(Own) &&
      Unit.context().getCurrentKeyFunction(Own->getParent()) !=
          Own->getCanonicalDecl())
    return;
  for (const CXXMethodDecl *Method : Own->getParent()->methods())
    if (Method->isVirtual() && !Method->isPureVirtual())
      Mentions.push_back({nullptr, Method});
}

} // namespace kst
