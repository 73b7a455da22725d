// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/PointerFlows.h"

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/Calls.h"
#include "analyzer/facts/ClangCompat.h"
#include "analyzer/facts/PointerTypes.h"

#include "clang/Basic/Builtins.h"

using namespace clang;

namespace kst {

namespace {

constexpr unsigned MaxFollowed = 32;
constexpr SlotKind Local = SlotKind::Count;

/// `base + i * stride`: an element of what base points to.
bool isElementStep(const BinaryOperator *Sum) {
  if (Sum->getOpcode() != BO_Add || !forgetsType(Sum->getType()) ||
      !Sum->getLHS()->getType()->isPointerType())
    return false;
  const auto *Product =
      dyn_cast<BinaryOperator>(Sum->getRHS()->IgnoreParenImpCasts());
  return Product && Product->getOpcode() == BO_Mul &&
         !isa<IntegerLiteral>(Product->getLHS()->IgnoreParenImpCasts()) &&
         !isa<IntegerLiteral>(Product->getRHS()->IgnoreParenImpCasts());
}

QualType elementOf(QualType Type) {
  while (const ArrayType *Array = Type->getAsArrayTypeUnsafe())
    Type = Array->getElementType();
  return Type;
}

/// The variable, or array of such, that holds a pointer to a function.
const ValueDecl *holderOf(const Expr *Place) {
  Place = Place->IgnoreParenImpCasts();
  if (const auto *Deref = dyn_cast<UnaryOperator>(Place);
      Deref && Deref->getOpcode() == UO_Deref)
    Place = Deref->getSubExpr()->IgnoreParenImpCasts();
  while (const auto *Index = dyn_cast<ArraySubscriptExpr>(Place))
    Place = Index->getBase()->IgnoreParenImpCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(Place);
  return Ref ? Ref->getDecl() : nullptr;
}

} // namespace

/// Whether a place of the type takes the value as a pointer to anything.
bool PointerFlows::mayForget(QualType Type, const Expr *Value) const {
  return forgetsType(Type) ||
         (isPointerNumber(Unit.context(), Type) && wasPointer(Value));
}

void PointerFlows::beginFunction(const FunctionDecl *Of) { Function = Of; }

/// What goes into a local variable comes out wherever it is used.
void PointerFlows::endFunction() {
  llvm::DenseMap<uint32_t, llvm::SmallVector<unsigned, 4>> From;
  for (unsigned I = 0; I != ThroughLocals.size(); ++I)
    if (const Slot &S = ThroughLocals[I].From; std::get<0>(S) == Local)
      From[std::get<1>(S)].push_back(I);
  for (const LocalFlow &Entry : ThroughLocals) {
    if (std::get<0>(Entry.From) == Local)
      continue;
    llvm::SmallVector<uint32_t, 8> Reached{std::get<1>(Entry.To)};
    for (unsigned I = 0; I != Reached.size(); ++I)
      for (unsigned Exit : From[Reached[I]]) {
        const Slot &To = ThroughLocals[Exit].To;
        if (std::get<0>(To) != Local)
          emit(Entry.From, To, ThroughLocals[Exit].Where);
        else if (!llvm::is_contained(Reached, std::get<1>(To)))
          Reached.push_back(std::get<1>(To));
      }
  }
  ThroughLocals.clear();
  Locals.clear();
  Function = nullptr;
}

void PointerFlows::collectVariable(const ValueDecl *Named, Slots &Found) {
  const auto *Var = dyn_cast<VarDecl>(Named);
  if (!Var)
    return;
  const auto *Param = dyn_cast<ParmVarDecl>(Var);
  if (Param && Function && Param->getDeclContext() == Function)
    Found.emplace_back(SlotKind::Param, Unit.functionKey(Function),
                       paramNumber(Param), 0);
  else if (Var->hasLocalStorage())
    Found.emplace_back(
        Local, Locals.try_emplace(Var, Locals.size()).first->second, 0, 0);
  else
    Found.emplace_back(SlotKind::Global, Unit.variableKey(Var), 0, 0);
}

void PointerFlows::collectCall(const CallExpr *Call, Slots &Found,
                               unsigned Depth) {
  if (const FunctionDecl *Callee = Call->getDirectCallee()) {
    unsigned Builtin = Callee->getBuiltinID();
    if (Builtin == Builtin::BI__builtin_expect ||
        Builtin == Builtin::BI__builtin_assume_aligned)
      collect(Call->getArg(0), Found, Depth + 1);
    else
      Found.emplace_back(SlotKind::Result, Unit.functionKey(Callee), 0, 0);
  } else if (const FieldDecl *Field = calledMember(Call)) {
    if (uint32_t Record = Unit.record(ownerOf(Field)); Record != None)
      Found.emplace_back(SlotKind::TableResult, Record, numberOf(Field), 0);
  }
}

void PointerFlows::collectUnary(const UnaryOperator *Unary, Slots &Found,
                                unsigned Depth) {
  const Expr *Sub = Unary->getSubExpr();
  switch (Unary->getOpcode()) {
  case UO_Extension:
    return collect(Sub, Found, Depth + 1);
  case UO_AddrOf:
    if (forgetsType(Sub->getType()))
      collect(Sub, Found, Depth + 1);
    return;
  case UO_Deref:
    Sub = Sub->IgnoreParenCasts();
    // `*(volatile T *)&v`: the once-accessors.
    if (const auto *Inner = dyn_cast<UnaryOperator>(Sub);
        Inner && Inner->getOpcode() == UO_AddrOf)
      collect(Inner->getSubExpr(), Found, Depth + 1);
    else if (Sub->getType()->isPointerType() &&
             forgetsType(Sub->getType()->getPointeeType()))
      collect(Sub, Found, Depth + 1);
    return;
  default:
    return;
  }
}

void PointerFlows::collect(const Expr *E, Slots &Found, unsigned Depth) {
  if (Depth > MaxFollowed)
    return;
  E = E->IgnoreParens();
  QualType Type = E->getType();
  if (const RecordDecl *Record = pointee(Type); isComplete(Record)) {
    Found.push_back(slotOf(Record));
    return;
  }
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    const RecordDecl *Record = outerPointee(Cast->getSubExpr()->getType());
    if (Record && Type->isPointerType() && forgetsType(Type->getPointeeType()))
      Found.push_back(slotOf(Record));
    else if (Cast->getCastKind() != CK_NullToPointer)
      collect(Cast->getSubExpr(), Found, Depth + 1);
    return;
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    return collectUnary(Unary, Found, Depth);
  if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    BinaryOperatorKind Op = Binary->getOpcode();
    if (Op == BO_Comma || Op == BO_Assign)
      collect(Binary->getRHS(), Found, Depth + 1);
    else if (Op == BO_And || Op == BO_Or || isElementStep(Binary))
      collect(Binary->getLHS(), Found, Depth + 1);
    return;
  }
  if (const auto *Either = dyn_cast<AbstractConditionalOperator>(E)) {
    collect(Either->getTrueExpr(), Found, Depth + 1);
    return collect(Either->getFalseExpr(), Found, Depth + 1);
  }
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return collectCall(Call, Found, Depth);
  if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(E)) {
    if (Opaque->getSourceExpr())
      collect(Opaque->getSourceExpr(), Found, Depth + 1);
    return;
  }
  if (const auto *List = dyn_cast<InitListExpr>(E)) {
    if (List->getType()->isArrayType())
      for (const Expr *Init : List->inits())
        collect(Init, Found, Depth + 1);
    return;
  }
  if (const auto *Choose = dyn_cast<ChooseExpr>(E))
    return collect(Choose->getChosenSubExpr(), Found, Depth + 1);
  if (const auto *Generic = dyn_cast<GenericSelectionExpr>(E))
    return collect(Generic->getResultExpr(), Found, Depth + 1);
  if (const auto *Block = dyn_cast<StmtExpr>(E)) {
    if (const auto *Last = dyn_cast_or_null<Expr>(lastStatement(Block)))
      collect(Last, Found, Depth + 1);
    return;
  }
  if (!forgetsType(Type) && !isPointerNumber(Unit.context(), Type))
    return;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return collectVariable(Ref->getDecl(), Found);
  if (const auto *Index = dyn_cast<ArraySubscriptExpr>(E))
    return collect(Index->getBase(), Found, Depth + 1);
  const auto *Member = dyn_cast<MemberExpr>(E);
  const auto *Field =
      Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
  if (!Field)
    return;
  if (uint32_t Record = Unit.record(ownerOf(Field)); Record != None)
    Found.emplace_back(SlotKind::Member, Record, numberOf(Field), 0);
}

void PointerFlows::emit(Slot From, Slot To, SourceLocation Where) {
  if (From == To)
    return;
  auto Key = [](const Slot &S) {
    auto [Kind, A, B, C] = S;
    return std::pair(uint64_t(Kind) << 32 | A, uint64_t(B) << 32 | C);
  };
  if (!Seen.insert({Key(From), Key(To)}).second)
    return;
  auto Fact = [](const Slot &S) {
    auto [Kind, A, B, C] = S;
    return SlotFact{Kind, A, B, C};
  };
  PointerFlowFact Flow{Fact(From), Fact(To), 0, 0, 0};
  if (Function)
    Flow.Function = Unit.functionName(Function);
  std::tie(Flow.File, Flow.Line) = Unit.place(Where);
  Unit.Facts.PointerFlows.push_back(Flow);
}

void PointerFlows::add(Slot From, Slot To, SourceLocation Where) {
  if (std::get<0>(From) == Local || std::get<0>(To) == Local)
    ThroughLocals.push_back({From, To, Where});
  else
    emit(From, To, Where);
}

void PointerFlows::flow(const Slots &From, const Slots &To,
                        SourceLocation Where) {
  for (const Slot &Source : From)
    for (const Slot &Sink : To)
      add(Source, Sink, Where);
}

bool PointerFlows::addUse(const Expr *Pointer, const SlotFact &End,
                          SourceLocation Where) {
  const Slots From = slots(Pointer);
  flow(From, {Slot{End.Kind, End.A, End.B, End.C}}, Where);
  return !From.empty();
}

void PointerFlows::addNumber(const SlotFact &From, const SlotFact &To,
                             SourceLocation Where) {
  add({From.Kind, From.A, From.B, From.C}, {To.Kind, To.A, To.B, To.C}, Where);
}

/// Functions that a variable, or an array, may hold.
void PointerFlows::addHeld(const ValueDecl *Holder, const Expr *Functions) {
  const Expr *E = Functions->IgnoreParenImpCasts();
  if (const auto *List = dyn_cast<InitListExpr>(E)) {
    for (const Expr *Init : List->inits())
      addHeld(Holder, Init);
    return;
  }
  if (const auto *Either = dyn_cast<AbstractConditionalOperator>(E)) {
    addHeld(Holder, Either->getTrueExpr());
    return addHeld(Holder, Either->getFalseExpr());
  }
  const auto *Var = dyn_cast<VarDecl>(Holder);
  const FunctionDecl *Named = namedFunction(E);
  if (!Var || !Named)
    return;
  for (unsigned I = 0; I != Named->getNumParams(); ++I)
    if (forgetsType(Named->getParamDecl(I)->getType()))
      add({SlotKind::Holder, Unit.variableKey(Var), I, 0},
          {SlotKind::Param, Unit.functionKey(Named), I, 0}, E->getExprLoc());
}

/// A call through a variable that holds functions.
void PointerFlows::addHolderCall(const CallExpr *Call) {
  const auto *Var = dyn_cast_or_null<VarDecl>(holderOf(Call->getCallee()));
  const FunctionProtoType *Prototype =
      pointedFunction(Call->getCallee()->getType());
  if (!Var || !Prototype)
    return;
  unsigned Count = std::min(Call->getNumArgs(), Prototype->getNumParams());
  for (unsigned I = 0; I != Count; ++I)
    if (mayForget(Prototype->getParamType(I), Call->getArg(I)))
      flow(slots(Call->getArg(I)),
           {{SlotKind::Holder, Unit.variableKey(Var), I, 0}},
           Call->getArg(I)->getExprLoc());
}

/// `(void (*)(struct base *))f`: who calls it by the one type gives what the
/// function takes for the other.
void PointerFlows::addFunctionCast(const CastExpr *Cast) {
  const FunctionProtoType *From =
      pointedFunction(Cast->getSubExpr()->getType());
  const FunctionProtoType *To = pointedFunction(Cast->getType());
  if (!From || !To)
    return;
  const FunctionDecl *Named = namedFunction(Cast->getSubExpr());
  auto Join = [&](QualType Given, QualType Taken, Slot Untyped) {
    const RecordDecl *A = pointee(Given), *B = pointee(Taken);
    if (isComplete(A) && isComplete(B)) {
      if (A->getDefinition() != B->getDefinition())
        add(slotOf(A), slotOf(B), Cast->getExprLoc());
    } else if (Named && isComplete(B) && forgetsType(Given)) {
      add(Untyped, slotOf(B), Cast->getExprLoc());
    }
  };
  for (unsigned I = 0; I != std::min(From->getNumParams(), To->getNumParams());
       ++I)
    Join(To->getParamType(I), From->getParamType(I),
         {SlotKind::Param, Named ? Unit.functionKey(Named) : 0, I, 0});
  if (const RecordDecl *A = pointee(From->getReturnType()),
      *B = pointee(To->getReturnType());
      isComplete(A) && isComplete(B) &&
      A->getDefinition() != B->getDefinition())
    add(slotOf(A), slotOf(B), Cast->getExprLoc());
}

void PointerFlows::addCast(const CastExpr *Cast) {
  const Expr *Inner = Cast->getSubExpr();
  QualType From = Inner->getType(), To = Cast->getType();
  if (Cast->getCastKind() == CK_BitCast)
    addFunctionCast(Cast);
  if (QualType Number = pointedScalar(To);
      !Number.isNull() && forgetsType(From) && !pointee(From)) {
    Slot Sink{SlotKind::Scalar,
              uint32_t(Unit.context().getTypeSizeInChars(Number).getQuantity()),
              Number->isPointerType(), 0};
    flow(slots(Inner), {Sink}, Cast->getExprLoc());
  }
  if (const RecordDecl *Record = pointee(To); isComplete(Record)) {
    const RecordDecl *Source = pointee(From);
    if (Source && Source->getDefinition() == Record->getDefinition())
      return;
    Slots Sources = slots(Inner);
    if (Sources.empty())
      return;
    const Slot Sink = slotOf(Record);
    flow(Sources, {Sink}, Cast->getExprLoc());
    // Bytes inside of a record are memory that every such cast sees alike.
    if (const Expr *Storage = Inner->IgnoreParenCasts();
        isa<MemberExpr>(Storage) && Storage->getType()->isArrayType())
      flow({Sink}, Sources, Cast->getExprLoc());
    return;
  }
  // Pointers to pointers: what one writes, the other reads.
  if (const RecordDecl *Sink = outerPointee(To))
    if (const RecordDecl *Source = outerPointee(From);
        Source && Source != Sink) {
      const Slot A = slotOf(Source), B = slotOf(Sink);
      add(A, B, Cast->getExprLoc());
      add(B, A, Cast->getExprLoc());
    }
}

/// memcpy and memmove between two records: the bytes change their type.
void PointerFlows::addCopy(const CallExpr *Call) {
  auto Whole = [](const Expr *E) {
    const RecordDecl *Record = pointee(E->IgnoreParenCasts()->getType());
    return isComplete(Record) ? Record->getDefinition() : nullptr;
  };
  const RecordDecl *To = Whole(Call->getArg(0)), *From = Whole(Call->getArg(1));
  if (From && To && From != To)
    add(slotOf(From), slotOf(To), Call->getExprLoc());
}

void PointerFlows::addCall(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  const FieldDecl *Field = Callee ? nullptr : calledMember(Call);
  switch (Callee ? Callee->getBuiltinID() : 0) {
  case 0:
  case Builtin::BIfree:
  case Builtin::BI__builtin_free:
  case Builtin::BIrealloc:
    break;
  case Builtin::BImemcpy:
  case Builtin::BI__builtin_memcpy:
  case Builtin::BImemmove:
  case Builtin::BI__builtin_memmove:
    return addCopy(Call);
  default:
    return;
  }
  if (!Callee && !Field)
    return addHolderCall(Call);
  const FunctionProtoType *Prototype = nullptr;
  if (Callee)
    Prototype = Callee->getType()->getAs<FunctionProtoType>();
  else if (Field)
    if (QualType Type = Field->getType()->getPointeeType(); !Type.isNull())
      Prototype = Type->getAs<FunctionProtoType>();
  if (!Prototype)
    return;
  addCallbacks(Call, Prototype);
  for (unsigned I = 0; I != Call->getNumArgs(); ++I) {
    // What goes by `...` is what it was.
    const Expr *Arg = Call->getArg(I);
    QualType Type = I < Prototype->getNumParams() ? Prototype->getParamType(I)
                                                  : Arg->getType();
    const bool Variadic = I >= Prototype->getNumParams();
    if (!mayForget(Type, Arg) && !(Variadic && isComplete(pointee(Type))))
      continue;
    Slots From = slots(Arg);
    if (From.empty())
      continue;
    Slot To;
    if (Callee) {
      To = {SlotKind::Param, Unit.functionKey(Callee), I + takesThis(Callee),
            0};
    } else {
      uint32_t Record = Unit.record(ownerOf(Field));
      if (Record == None)
        return;
      To = {SlotKind::TableParam, Record, numberOf(Field), I};
    }
    flow(From, {To}, Arg->getExprLoc());
    // `(void **)&typed`: the callee may set the pointer.
    if (outerPointee(Arg->IgnoreParenCasts()->getType()))
      flow({To}, From, Arg->getExprLoc());
  }
}

/// `qsort(v, n, size, cmp)`, `thread(run, arg)`: a function that gets others
/// calls them with what it gets.
void PointerFlows::addCallbacks(const CallExpr *Call,
                                const FunctionProtoType *Prototype) {
  unsigned Count = std::min(Call->getNumArgs(), Prototype->getNumParams());
  for (unsigned F = 0; F != Count; ++F) {
    const FunctionDecl *Given = pointedFunction(Prototype->getParamType(F))
                                    ? namedFunction(Call->getArg(F))
                                    : nullptr;
    if (!Given)
      continue;
    for (unsigned I = 0; I != Count; ++I) {
      if (!Prototype->getParamType(I)->isVoidPointerType())
        continue;
      Slots From = slots(Call->getArg(I));
      for (unsigned To = 0; To != Given->getNumParams(); ++To) {
        QualType Type = Given->getParamDecl(To)->getType();
        if (Type->isVoidPointerType())
          flow(From, {{SlotKind::Param, Unit.functionKey(Given), To, 0}},
               Call->getArg(I)->getExprLoc());
      }
    }
  }
}

/// The record, or what a pointer in the variable leads to.
void PointerFlows::addCleanup(const VarDecl *Variable) {
  const auto *Of = Variable->getAttr<CleanupAttr>();
  const FunctionDecl *Left = Of ? Of->getFunctionDecl() : nullptr;
  if (!Left || !Left->getNumParams() ||
      !forgetsType(Left->getParamDecl(0)->getType()))
    return;
  const RecordDecl *Record = Variable->getType()->isPointerType()
                                 ? pointee(Variable->getType())
                                 : Variable->getType()->getAsRecordDecl();
  if (isComplete(Record))
    flow({slotOf(Record)},
         {Slot{SlotKind::Param, Unit.functionKey(Left), 0, 0}},
         Variable->getLocation());
}

void PointerFlows::addReturn(const Expr *Value) {
  if (!Function || !forgetsType(Function->getReturnType()))
    return;
  flow(slots(Value), {{SlotKind::Result, Unit.functionKey(Function), 0, 0}},
       Value->getExprLoc());
}

void PointerFlows::addAssignment(const Expr *To, const Expr *Value) {
  if (pointedFunction(To->getType()))
    if (const ValueDecl *Holder = holderOf(To))
      addHeld(Holder, Value);
  if (mayForget(To->getType(), Value))
    if (Slots From = slots(Value); !From.empty())
      flow(From, slots(To), Value->getExprLoc());
}

void PointerFlows::addVariable(const VarDecl *Variable) {
  const Expr *Init = Variable->getInit();
  if (pointedFunction(elementOf(Variable->getType())))
    addHeld(Variable, Init);
  if (!mayForget(Variable->getType(), Init))
    return;
  Slots To;
  collectVariable(Variable, To);
  flow(slots(Init), To, Init->getExprLoc());
}

void PointerFlows::addMember(const FieldDecl *Field, const Expr *Value) {
  if (!mayForget(Field->getType(), Value))
    return;
  Slots From = slots(Value);
  uint32_t Record = From.empty() ? None : Unit.record(ownerOf(Field));
  if (Record != None)
    flow(From, {{SlotKind::Member, Record, numberOf(Field), 0}},
         Value->getExprLoc());
}

} // namespace kst
