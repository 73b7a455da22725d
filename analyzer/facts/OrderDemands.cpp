// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/OrderDemands.h"

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/Assertions.h"
#include "analyzer/facts/LocalDefinitions.h"
#include "analyzer/facts/MemberRanges.h"
#include "analyzer/facts/OffsetSum.h"
#include "analyzer/facts/PointerFlows.h"
#include "analyzer/facts/PointerSteps.h"
#include "analyzer/facts/PointerViews.h"

#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kst {

namespace {

/// What the integer value of an expression is made of. Empty for most.
using Carried = OffsetSum;

/// A use of an offset that counts only if nothing pairs with it.
struct Comparison {
  const FieldDecl *Field;
  int64_t Constant; ///< 0: the field's start; its size: its end
  SourceLocation Where;
  bool Label; ///< of a case: no demand by itself
};

/// Walks one body or initialiser.
class DemandCollector {
public:
  using ReturnedSums = llvm::DenseMap<const FunctionDecl *, Carried>;
  DemandCollector(DemandTable &Demands, PointerFlows &Flows,
                  ReturnedSums &Returned, SteppedParams &Stepped)
      : Demands(Demands), Flows(Flows), Returned(Returned),
        Offsets(Demands.unit().context()), Views(Demands, Offsets, Stepped) {}

  Carried visit(const Stmt *S);
  /// After the body: what only all of it tells.
  void finish();

private:
  Carried visitCast(const CastExpr *Cast);
  Carried visitBinary(const BinaryOperator *Binary);
  Carried visitArithmetic(const BinaryOperator *Binary);
  Carried visitPointerDifference(const BinaryOperator *Binary);
  void visitComparison(const BinaryOperator *Binary);
  Carried visitCall(const CallExpr *Call);
  Carried visitBlock(const StmtExpr *Block);
  Carried visitSizeOf(const UnaryExprOrTypeTraitExpr *E);
  void visitDeclarations(const DeclStmt *Decls);
  void visitCase(const CaseStmt *Case);
  void visitUnary(const UnaryOperator *Unary);
  void visitIf(const IfStmt *If);
  void visitSwitch(const SwitchStmt *Switch);
  void visitBranch(const Stmt *Branch, bool Closed);
  void visitAsm(const GCCAsmStmt *Asm);
  void visitList(const InitListExpr *List, bool AroundUnnamed);
  void visitChildren(const Stmt *S);

  void setLocal(const VarDecl *Var, const Carried &Value);
  void setAddress(const VarDecl *Var, const Expr *Value);
  Carried memberAddress(const Expr *E);
  void visitPointerComparison(const BinaryOperator *Binary);
  void addCount(const CallExpr *Call, unsigned Number, const Carried &Value);
  Carried returned(const CallExpr *Call);
  Carried namedConstant(const clang::ValueDecl *Named);
  void addDistances(const Carried &Left, const Carried &Right,
                    SourceLocation Where);
  void addFor(const Carried &Sum, DemandKind Kind, SourceLocation Where) {
    for (const OffsetTerm &Term : Sum.Terms)
      Demands.add(Kind, Term.Field, Where);
  }

  DemandTable &Demands;
  PointerFlows &Flows;
  ReturnedSums &Returned; ///< of the unit
  OffsetReader Offsets;
  llvm::DenseMap<const VarDecl *, Carried> Locals;
  /// Members whose address a local pointer got, by variable.
  llvm::DenseMap<const VarDecl *, Carried> Addresses;
  std::vector<Comparison> Comparisons;
  PointerViews Views;
  unsigned ToPointer = 0; ///< inside a number that becomes a pointer
  unsigned Dead = 0;      ///< inside a branch that a constant closes
};

bool carries(const Carried &Sum) {
  return !Sum.Terms.empty() || !Sum.Sizes.empty();
}

/// Whether a member is named as one that holds a size.
bool isLengthName(const ValueDecl *Member) {
  llvm::StringRef Name =
      Member->getIdentifier() ? Member->getName() : llvm::StringRef();
  return Name.contains("size") || Name.contains("len");
}

/// The pointer that a number was just before; null for others.
const Expr *numberedPointer(const Expr *E) {
  for (E = E->IgnoreParens(); const auto *Cast = dyn_cast<CastExpr>(E);
       E = Cast->getSubExpr()->IgnoreParens())
    if (Cast->getCastKind() == CK_PointerToIntegral)
      return Cast->getSubExpr();
  return nullptr;
}

bool endsInBreak(const Stmt *S) {
  if (const auto *Block = dyn_cast<CompoundStmt>(S))
    return !Block->body_empty() && endsInBreak(Block->body_back());
  return isa<BreakStmt, ReturnStmt>(S);
}

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

/// Whether the number was a pointer just before.
bool isAddress(const Expr *E) {
  E = E->IgnoreParens();
  while (const auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_PointerToIntegral)
      return true;
    E = Cast->getSubExpr()->IgnoreParens();
  }
  const auto *Binary = dyn_cast<BinaryOperator>(E);
  return Binary && Binary->isAdditiveOp() &&
         (isAddress(Binary->getLHS()) || isAddress(Binary->getRHS()));
}

void DemandCollector::visitChildren(const Stmt *S) {
  for (const Stmt *Child : S->children())
    if (Child)
      visit(Child);
}

Carried DemandCollector::visitCast(const CastExpr *Cast) {
  const Expr *Sub = Cast->getSubExpr();
  switch (Cast->getCastKind()) {
  case CK_BitCast:
    Flows.addCast(Cast);
    if (!Dead)
      Views.addCast(Cast);
    break;
  case CK_PointerToIntegral:
    if (OffsetSum Sum = Offsets.ofNullMember(Sub); !Sum.Terms.empty())
      return Sum;
    break;
  case CK_IntegralToPointer: {
    Flows.addCast(Cast);
    ++ToPointer;
    visit(Sub);
    --ToPointer;
    return {};
  }
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

/// Two members of one record in one number.
void DemandCollector::addDistances(const Carried &Left, const Carried &Right,
                                   SourceLocation Where) {
  for (const OffsetTerm &A : Left.Terms)
    for (const OffsetTerm &B : Right.Terms)
      if (A.Field != B.Field && ownerOf(A.Field) == ownerOf(B.Field)) {
        Demands.add(DemandKind::Distance, A.Field, Where, numberOf(B.Field));
        Demands.add(DemandKind::Distance, B.Field, Where, numberOf(A.Field));
      }
}

/// The member whose address the pointer is, or once was.
Carried DemandCollector::memberAddress(const Expr *E) {
  if (const VarDecl *Var = namedLocal(E->IgnoreParenCasts())) {
    auto It = Addresses.find(Var);
    return It == Addresses.end() ? Carried() : It->second;
  }
  // `p->a + sizeof(p->a)`
  if (const auto *Binary = dyn_cast<BinaryOperator>(E->IgnoreParenCasts());
      Binary && Binary->isAdditiveOp() &&
      Binary->getLHS()->getType()->isPointerType()) {
    Carried Sum = memberAddress(Binary->getLHS());
    Sum.Linear = false;
    return Sum;
  }
  const Expr *Base;
  Carried Sum = Offsets.ofMember(E, Base);
  return Base ? Sum : Carried();
}

void DemandCollector::setAddress(const VarDecl *Var, const Expr *Value) {
  if (!Var->getType()->isPointerType())
    return;
  Views.setLocal(Var, Value);
  Carried Sum = memberAddress(Value);
  if (Sum.Terms.empty())
    return;
  auto [It, New] = Addresses.try_emplace(Var, Sum);
  if (!New)
    It->second.blur(Sum);
}

Carried DemandCollector::visitPointerDifference(const BinaryOperator *Binary) {
  Carried Left = memberAddress(Binary->getLHS());
  Carried Right = memberAddress(Binary->getRHS());
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
  Carried Left = memberAddress(Binary->getLHS());
  Carried Right = memberAddress(Binary->getRHS());
  visitChildren(Binary);
  for (const OffsetTerm &A : Left.Terms)
    for (const OffsetTerm &B : Right.Terms)
      if (A.Field != B.Field && ownerOf(A.Field) == ownerOf(B.Field)) {
        uint32_t First = numberOf(A.Field);
        uint32_t Last = numberOf(B.Field);
        if (First > Last)
          std::swap(First, Last);
        Demands.add(DemandKind::Overrun, ownerOf(A.Field), First, Last,
                    Binary->getExprLoc());
      }
}

Carried DemandCollector::visitArithmetic(const BinaryOperator *Binary) {
  Carried Left = visit(Binary->getLHS()), Right = visit(Binary->getRHS());
  // `(uintptr_t)&p->z - (uintptr_t)&p->a`
  if (const Expr *End = numberedPointer(Binary->getLHS()),
      *Start = numberedPointer(Binary->getRHS());
      End && Start && Binary->getOpcode() == BO_Sub) {
    Left = memberAddress(End);
    Right = memberAddress(Start);
  }
  if (!carries(Left) && !carries(Right))
    return {};
  SourceLocation Where = Binary->getExprLoc();
  addDistances(Left, Right, Where);
  if (!Binary->isAdditiveOp()) {
    Left.blur(Right);
    return Left;
  }
  auto AddConstant = [&](Carried &Value, const Expr *E) {
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
  Carried Values[] = {visit(Sides[0]), visit(Sides[1])};
  for (int I : {0, 1}) {
    const Carried &Value = Values[I];
    // A local variable with one of several offsets asks for single members.
    if (Value.Terms.empty() || Binary->isEqualityOp() ||
        (!Value.Linear && Value.Terms.size() > 1) ||
        !Values[1 - I].Terms.empty() ||
        Sides[1 - I]->isIntegerConstantExpr(Demands.unit().context()))
      continue;
    for (const OffsetTerm &Term : Value.Terms)
      Comparisons.push_back(
          {Term.Field, Value.Constant, Binary->getExprLoc(), false});
  }
}

/// `off >= offsetof(m) && off < offsetofend(m)` asks for a single member.
void DemandCollector::finish() {
  Views.addParts();
  for (const Comparison &One : Comparisons)
    if (!One.Label && llvm::all_of(Comparisons, [&](const Comparison &Other) {
          return Other.Field != One.Field ||
                 (Other.Constant == One.Constant && !Other.Label);
        }))
      Demands.add(DemandKind::Compared, One.Field, One.Where);
}

void DemandCollector::setLocal(const VarDecl *Var, const Carried &Value) {
  if (!carries(Value))
    return;
  auto [It, New] = Locals.try_emplace(Var, Value);
  if (!New)
    It->second.blur(Value);
}

Carried DemandCollector::visitBinary(const BinaryOperator *Binary) {
  BinaryOperatorKind Op = Binary->getOpcode();
  if (Binary->isAssignmentOp()) {
    if (Op == BO_Assign)
      Flows.addAssignment(Binary->getLHS(), Binary->getRHS());
    const VarDecl *Var = namedLocal(Binary->getLHS());
    if (Var && Op != BO_Assign && Var->getType()->isPointerType()) {
      Views.addStep(Binary->getLHS(), nullptr, Binary->getExprLoc());
      Views.addSkip(Binary->getLHS(), Binary->getRHS(), Binary->getExprLoc());
    }
    if (Var)
      setAddress(Var, Binary->getRHS());
    else
      visit(Binary->getLHS());
    Carried Value = visit(Binary->getRHS());
    if (const auto *Member = dyn_cast<MemberExpr>(Binary->getLHS());
        Member && Value.Varies && isLengthName(Member->getMemberDecl()))
      addFor(Value, DemandKind::Tail, Binary->getExprLoc());
    if (!Var || !Var->getType()->isIntegerType())
      return {};
    if (Op == BO_SubAssign && !Value.Terms.empty() && !Locals.count(Var))
      addFor(Value, DemandKind::Distance, Binary->getExprLoc());
    setLocal(Var, Value);
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
    visitPointerComparison(Binary);
    return {};
  }
  if (Op == BO_Add && Binary->getType()->isPointerType()) {
    bool Left = Binary->getLHS()->getType()->isPointerType();
    const Expr *Pointer = Left ? Binary->getLHS() : Binary->getRHS();
    const Expr *Index = Left ? Binary->getRHS() : Binary->getLHS();
    addStep(Demands, Offsets, Pointer, Index, Binary->getExprLoc());
    Views.addStep(Pointer, Index, Binary->getExprLoc());
    Views.addSkip(Pointer, Index, Binary->getExprLoc());
  }
  if (Binary->isLogicalOp() || !Binary->getLHS()->getType()->isIntegerType() ||
      !Binary->getRHS()->getType()->isIntegerType()) {
    visitChildren(Binary);
    return {};
  }
  if (!Binary->isComparisonOp())
    return visitArithmetic(Binary);
  visitComparison(Binary);
  return {};
}

Carried DemandCollector::visitCall(const CallExpr *Call) {
  visit(Call->getCallee());
  Flows.addCall(Call);
  Views.addArguments(Call);
  Carried First;
  for (unsigned I = 0; I != Call->getNumArgs(); ++I) {
    Carried Value = visit(Call->getArg(I));
    addCount(Call, I, Value);
    if (I == 0)
      First = std::move(Value);
    else if (Value.Terms.empty())
      addOverrun(Demands, Offsets, Call, I);
  }
  return isPassThrough(Call) ? First : returned(Call);
}

/// A number of bytes that ends at a member; one that varies, or one for a call
/// that gets no such record, is the size of an object.
void DemandCollector::addCount(const CallExpr *Call, unsigned Number,
                               const Carried &Value) {
  if (Value.Terms.empty() || !isByteCount(Call, Number, Value))
    return;
  for (const OffsetTerm &Term : Value.Terms) {
    const RecordDecl *Record = ownerOf(Term.Field);
    if (Term.Factor <= 0 ||
        llvm::any_of(Value.Terms, [&](const OffsetTerm &Other) {
          return Other.Field != Term.Field && ownerOf(Other.Field) == Record;
        }))
      continue;
    bool Object = llvm::any_of(Call->arguments(), [&](const Expr *Arg) {
      const RecordDecl *Pointed =
          Arg->getType()->isPointerType() ? pointedRecord(Arg) : nullptr;
      return Pointed && Pointed->getDefinition() == Record;
    });
    Demands.add(Object && !Value.Varies ? DemandKind::Block : DemandKind::Tail,
                Term.Field, Call->getExprLoc());
  }
}

/// What a function of one return statement, at its end, returns.
Carried DemandCollector::returned(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (!Callee || !Callee->getReturnType()->isIntegerType())
    return {};
  auto [It, New] = Returned.try_emplace(Callee->getCanonicalDecl());
  if (!New)
    return It->second;
  const auto *Body = dyn_cast_or_null<CompoundStmt>(Callee->getBody());
  const auto *Last = Body && !Body->body_empty()
                         ? dyn_cast<ReturnStmt>(Body->body_back())
                         : nullptr;
  if (Last && Last->getRetValue() && mentionsOffset(Last->getRetValue()))
    It->second = Offsets.read(Last->getRetValue());
  return It->second;
}

/// `enum { N = offsetof() }`, `static const size_t N = offsetof()`.
Carried DemandCollector::namedConstant(const ValueDecl *Named) {
  const Expr *Init = nullptr;
  if (const auto *Constant = dyn_cast<EnumConstantDecl>(Named))
    Init = Constant->getInitExpr();
  else if (const auto *Var = dyn_cast<VarDecl>(Named);
           Var && !Var->hasLocalStorage() && Var->getType()->isIntegerType() &&
           Var->getType().isConstQualified())
    Init = Var->getInit();
  return Init && mentionsOffset(Init) ? Offsets.read(Init) : Carried();
}

Carried DemandCollector::visitBlock(const StmtExpr *Block) {
  Carried Last;
  for (const Stmt *S : Block->getSubStmt()->body())
    Last = visit(S);
  return Last;
}

/// BUILD_BUG_ON_ZERO: `sizeof(struct { int : -!!(Condition); })`.
Carried DemandCollector::visitSizeOf(const UnaryExprOrTypeTraitExpr *E) {
  Carried Sum;
  if (E->getKind() != UETT_SizeOf)
    return Sum;
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
    if (!Var || !Var->getInit())
      continue;
    Flows.addVariable(Var);
    Carried Value = visit(Var->getInit());
    setAddress(Var, Var->getInit());
    if (Var->hasLocalStorage() && Var->getType()->isIntegerType())
      setLocal(Var, Value);
  }
}

void DemandCollector::visitCase(const CaseStmt *Case) {
  // `case offsetof(a) ... offsetofend(b) - 1`
  if (Case->getRHS() && mentionsOffset(Case->getRHS())) {
    Carried First = Offsets.read(Case->getLHS());
    Carried Last = Offsets.read(Case->getRHS());
    for (const OffsetTerm &A : First.Terms)
      for (const OffsetTerm &B : Last.Terms)
        if (A.Field != B.Field && ownerOf(A.Field) == ownerOf(B.Field))
          Demands.add(DemandKind::Overrun, ownerOf(A.Field),
                      std::min(numberOf(A.Field), numberOf(B.Field)),
                      std::max(numberOf(A.Field), numberOf(B.Field)),
                      Case->getCaseLoc());
  }
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
}

/// Without names, the order of the values is that of the fields. A list of
/// which the source shows nothing was made for braces left out, or for a
/// member of a member that is named: the list around it tells.
void DemandCollector::visitList(const InitListExpr *List, bool AroundUnnamed) {
  if (List->isSyntacticForm() && List->getSemanticForm())
    List = List->getSemanticForm();
  const InitListExpr *Written = List->getSyntacticForm();
  bool Unnamed = AroundUnnamed, InnerUnnamed = AroundUnnamed;
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
  if (Unary->getOpcode() != UO_Deref)
    return;
  addDereference(Demands, Offsets, Sub, Unary->getExprLoc());
  Views.addDereference(Sub, Unary->getExprLoc());
}

void DemandCollector::visitBranch(const Stmt *Branch, bool Closed) {
  Dead += Closed;
  if (Branch)
    visit(Branch);
  Dead -= Closed;
}

void DemandCollector::visitIf(const IfStmt *If) {
  int64_t Value;
  bool Known = Offsets.evaluate(If->getCond(), Value);
  visit(If->getCond());
  visitBranch(If->getThen(), Known && !Value);
  visitBranch(If->getElse(), Known && Value);
}

/// `switch (sizeof(x)) { case 4: *(u32 *)&x; break; case 8: ... }`: of a
/// constant one case is alive, and what it falls through to.
void DemandCollector::visitSwitch(const SwitchStmt *Switch) {
  visit(Switch->getCond());
  int64_t Value;
  const auto *Body = dyn_cast<CompoundStmt>(Switch->getBody());
  if (!Body || !Offsets.evaluate(Switch->getCond(), Value))
    return visitBranch(Switch->getBody(), false);
  bool Alive = false, Matched = false;
  for (const Stmt *S : Body->body()) {
    const Stmt *Inner = S;
    while (const auto *Label = dyn_cast<SwitchCase>(Inner)) {
      int64_t Low = 0;
      const auto *Case = dyn_cast<CaseStmt>(Label);
      Alive |= Case ? Offsets.evaluate(Case->getLHS(), Low) &&
                          (Low == Value || Case->getRHS())
                    : !Matched;
      Matched |= Alive;
      Inner = Label->getSubStmt();
    }
    visitBranch(S, !Alive);
    if (endsInBreak(Inner))
      Alive = false;
  }
}

Carried DemandCollector::visit(const Stmt *S) {
  if (const auto *Cast = dyn_cast<CastExpr>(S))
    return visitCast(Cast);
  if (const auto *Binary = dyn_cast<BinaryOperator>(S))
    return visitBinary(Binary);
  switch (S->getStmtClass()) {
  case Stmt::DeclRefExprClass: {
    const auto *Var = dyn_cast<VarDecl>(cast<DeclRefExpr>(S)->getDecl());
    auto It = Var ? Locals.find(Var) : Locals.end();
    return It == Locals.end() ? namedConstant(cast<DeclRefExpr>(S)->getDecl())
                              : It->second;
  }
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
    return visitCall(cast<CallExpr>(S));
  case Stmt::StmtExprClass:
    return visitBlock(cast<StmtExpr>(S));
  case Stmt::GenericSelectionExprClass:
    return visit(cast<GenericSelectionExpr>(S)->getResultExpr());
  case Stmt::ChooseExprClass:
    return visit(cast<ChooseExpr>(S)->getChosenSubExpr());
  case Stmt::ConditionalOperatorClass: {
    const auto *Either = cast<ConditionalOperator>(S);
    visit(Either->getCond());
    Carried Value = visit(Either->getTrueExpr());
    Value.blur(visit(Either->getFalseExpr()));
    return Value;
  }
  case Stmt::IfStmtClass:
    if (const Expr *Condition = buildAssertion(cast<IfStmt>(S)))
      addAssertion(Demands, Condition);
    else
      visitIf(cast<IfStmt>(S));
    return {};
  case Stmt::DeclStmtClass:
    visitDeclarations(cast<DeclStmt>(S));
    return {};
  case Stmt::ArraySubscriptExprClass: {
    const auto *Index = cast<ArraySubscriptExpr>(S);
    addStep(Demands, Offsets, Index->getBase(), Index->getIdx(),
            Index->getExprLoc());
    Views.addStep(Index->getBase(), Index->getIdx(), Index->getExprLoc());
    break;
  }
  case Stmt::UnaryOperatorClass:
    visitUnary(cast<UnaryOperator>(S));
    break;
  case Stmt::SwitchStmtClass:
    visitSwitch(cast<SwitchStmt>(S));
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

} // namespace

struct OrderDemands::State {
  explicit State(FactsBuilder &Unit) : Demands(Unit), Flows(Unit) {}
  DemandTable Demands;
  PointerFlows Flows;
  DemandCollector::ReturnedSums Returned;
  SteppedParams Stepped;
};

OrderDemands::OrderDemands(FactsBuilder &Unit)
    : Of(std::make_unique<State>(Unit)) {}
OrderDemands::~OrderDemands() = default;

void OrderDemands::addFunction(const FunctionDecl *Function) {
  Of->Demands.setFunction(Function);
  Of->Flows.beginFunction(Function);
  DemandCollector Collector(Of->Demands, Of->Flows, Of->Returned, Of->Stepped);
  Collector.visit(Function->getBody());
  Collector.finish();
  Of->Flows.endFunction();
  Of->Demands.setFunction(nullptr);
}

void OrderDemands::addVariable(const VarDecl *Variable) {
  const Expr *Init = Variable->getInit();
  if (!Init)
    return;
  Of->Flows.addVariable(Variable);
  DemandCollector(Of->Demands, Of->Flows, Of->Returned, Of->Stepped)
      .visit(Init);
}

void OrderDemands::addEnum(const EnumDecl *Enum) {
  for (const EnumConstantDecl *Constant : Enum->enumerators())
    if (const Expr *Init = Constant->getInitExpr();
        Init && mentionsOffset(Init))
      DemandCollector(Of->Demands, Of->Flows, Of->Returned, Of->Stepped)
          .visit(Init);
}

void OrderDemands::addAssertion(const StaticAssertDecl *Assertion) {
  kst::addAssertion(Of->Demands, Assertion->getAssertExpr());
}

} // namespace kst
