// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/ValueBuilder.h"

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/Calls.h"
#include "analyzer/facts/ClangCompat.h"
#include "analyzer/facts/FunctionTraits.h"
#include "analyzer/facts/LibraryCalls.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace kst {

namespace {

/// Whether a pointer that may have been cast points to numbers, so that what is
/// added to it leads to another of them.
bool pointsToScalars(const Expr *Pointer) {
  QualType Type = Pointer->IgnoreParenCasts()->getType();
  if (Type->isArrayType())
    return Type->getBaseElementTypeUnsafe()->isScalarType();
  return Type->isPointerType() && Type->getPointeeType()->isScalarType();
}

constexpr unsigned MaxDepth = 64;

} // namespace

ValueBuilder::ValueBuilder(FactsBuilder &Unit, const FunctionDecl *Function,
                           const LocalDefinitions &Locals,
                           const FlowEstimate &Flow)
    : Unit(Unit), Locals(Locals), Flow(Flow) {
  const auto *Method = dyn_cast<CXXMethodDecl>(Function);
  InClosure = Method && Method->getParent()->isLambda();
  if (InClosure)
    Method->getParent()->getCaptureFields(Captures, ThisCapture);
}

ValueId ValueBuilder::make(ValueKind Kind, uint32_t A, uint32_t B, uint32_t C) {
  auto [It, New] = Known.try_emplace({Kind, A, B, C}, Values.size());
  if (New)
    Values.push_back({Kind, A, B, C, {}});
  return It->second;
}

ValueId ValueBuilder::makeWithArgs(ValueKind Kind, uint32_t A, uint32_t B,
                                   llvm::ArrayRef<uint32_t> Of) {
  ValueFact Fact{Kind, A, B, 0, {}};
  Fact.Args.Begin = Args.size();
  Args.insert(Args.end(), Of.begin(), Of.end());
  Fact.Args.End = Args.size();
  Values.push_back(Fact);
  return Values.size() - 1;
}

ValueId ValueBuilder::constant(uint64_t Number) {
  return make(ValueKind::Const, uint32_t(Number), uint32_t(Number >> 32));
}

ValueId ValueBuilder::root(ValueId Id) const {
  while (Values[Id].Kind == ValueKind::Field ||
         Values[Id].Kind == ValueKind::Element)
    Id = Values[Id].A;
  return Id;
}

ValueId ValueBuilder::once(ValueOfExpr &Found, const Expr *E,
                           ValueId (ValueBuilder::*Compute)(const Expr *)) {
  E = withoutWrapping(E);
  if (auto It = Found.find(E); It != Found.end())
    return It->second;
  if (Depth > MaxDepth)
    return unknown();
  ++Depth;
  ValueId Id = (this->*Compute)(E);
  --Depth;
  return Found[E] = Id;
}

ValueId ValueBuilder::computeRvalue(const Expr *E) {
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return cast(Cast);
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    return unary(Unary);
  if (const auto *Binary = dyn_cast<BinaryOperator>(E))
    return binary(Binary);
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return call(Call);
  if (const auto *Number = dyn_cast<IntegerLiteral>(E))
    return constant(Number->getValue().getLimitedValue());
  if (const auto *Cond = dyn_cast<ConditionalOperator>(E))
    return choice({rvalue(Cond->getTrueExpr()), rvalue(Cond->getFalseExpr())});
  if (const auto *Cond = dyn_cast<BinaryConditionalOperator>(E))
    return choice({rvalue(Cond->getCommon()), rvalue(Cond->getFalseExpr())});
  if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
    return Opaque->getSourceExpr() ? rvalue(Opaque->getSourceExpr())
                                   : unknown();
  if (const auto *Choose = dyn_cast<ChooseExpr>(E))
    return rvalue(Choose->getChosenSubExpr());
  if (const auto *Generic = dyn_cast<GenericSelectionExpr>(E))
    return rvalue(Generic->getResultExpr());
  if (const auto *Block = dyn_cast<StmtExpr>(E)) {
    const auto *Last = dyn_cast_or_null<Expr>(lastStatement(Block));
    return Last ? rvalue(Last) : unknown();
  }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *Enum = dyn_cast<EnumConstantDecl>(Ref->getDecl()))
      return constant(Enum->getInitVal().getExtValue());
    if (const auto *Fn = dyn_cast<FunctionDecl>(Ref->getDecl()))
      return function(Fn);
  }
  return cxxRvalue(E);
}

ValueId ValueBuilder::cast(const CastExpr *E) {
  const Expr *Sub = E->getSubExpr();
  switch (E->getCastKind()) {
  case CK_LValueToRValue:
    return load(Sub);
  case CK_ArrayToPointerDecay:
  case CK_FunctionToPointerDecay:
    return address(Sub);
  case CK_NullToPointer:
    return constant(0);
  case CK_ToVoid:
  case CK_LValueToRValueBitCast:
    return unknown();
  default:
    return rvalue(Sub);
  }
}

ValueId ValueBuilder::unary(const UnaryOperator *E) {
  switch (E->getOpcode()) {
  case UO_AddrOf:
    return address(E->getSubExpr());
  case UO_Plus:
  case UO_Extension:
    return rvalue(E->getSubExpr());
  case UO_PreInc:
  case UO_PreDec:
  case UO_PostInc:
  case UO_PostDec:
    return load(E->getSubExpr());
  default:
    return unknown();
  }
}

ValueId ValueBuilder::binary(const BinaryOperator *E) {
  const Expr *Left = E->getLHS(), *Right = E->getRHS();
  switch (E->getOpcode()) {
  case BO_Comma:
  case BO_Assign:
    return rvalue(Right);
  case BO_Add:
  case BO_Sub:
    break;
  default:
    return unknown();
  }
  if (E->getOpcode() == BO_Sub)
    if (const auto *Offset = dyn_cast<OffsetOfExpr>(Right->IgnoreParenCasts()))
      return containerOf(rvalue(Left), Offset);

  const Expr *Pointer = Left->getType()->isPointerType() ? Left : Right;
  QualType Type = Pointer->getType();
  bool Typed = Type->isPointerType() && !Type->getPointeeType()->isVoidType() &&
               !Type->getPointeeType()->isCharType();
  if (Typed) {
    if (E->getOpcode() == BO_Add)
      return element(rvalue(Pointer), Pointer == Left ? Right : Left,
                     Type->getPointeeType());
    return element(rvalue(Pointer), unknown(), Type->getPointeeType());
  }
  if (E->getOpcode() == BO_Sub)
    return unknown();
  if (Type->isPointerType())
    if (const auto *Offset = dyn_cast<OffsetOfExpr>(
            (Pointer == Left ? Right : Left)->IgnoreParenCasts()))
      return memberAt(rvalue(Pointer), Offset);
  ValueId Sum = sum(rvalue(Left), rvalue(Right));
  if (Values[Sum].Kind == ValueKind::Unknown && pointsToScalars(Pointer))
    return element(rvalue(Pointer), unknown(), {});
  return Sum;
}

ValueId ValueBuilder::call(const CallExpr *E) {
  const FunctionDecl *Callee = enteredFunction(E);
  if (!Callee)
    return make(ValueKind::Call, CallIndex(E));
  if (copiesBytes(Callee))
    return address(argumentsOf(E)[0]);
  switch (Callee->getBuiltinID()) {
  case Builtin::BI__builtin_addressof:
  case Builtin::BIaddressof:
  case Builtin::BI__addressof:
  case Builtin::BImove:
  case Builtin::BImove_if_noexcept:
  case Builtin::BIforward:
  case Builtin::BIforward_like:
  case Builtin::BIas_const:
    return address(E->getArg(0));
  case Builtin::BI__builtin_launder:
  case Builtin::BI__builtin_expect:
  case Builtin::BI__builtin_expect_with_probability:
  case Builtin::BI__builtin_assume_aligned:
    return rvalue(E->getArg(0));
  case 0:
    break;
  default:
    if (!makesOrFrees(*Callee))
      return unknown();
  }
  const IdentifierInfo *Name = Callee->getIdentifier();
  if (Name && isA(NameKind::RunningTaskFunction, Name->getName()))
    return make(ValueKind::Current);
  if (Name && isA(NameKind::RunningCpuFunction, Name->getName()))
    return make(ValueKind::ThisCpu);
  return make(ValueKind::Call, CallIndex(E));
}

ValueId ValueBuilder::choice(llvm::ArrayRef<uint32_t> Of) {
  llvm::SmallVector<uint32_t, 4> Distinct;
  for (uint32_t Id : Of)
    if (Values[Id].Kind != ValueKind::Const &&
        !llvm::is_contained(Distinct, Id))
      Distinct.push_back(Id);
  if (Distinct.empty())
    return Of.empty() ? unknown() : Of[0];
  if (Distinct.size() == 1)
    return Distinct[0];
  return makeWithArgs(ValueKind::Choice, 0, 0, Distinct);
}

bool ValueBuilder::isPerCpuAddress(ValueId Address) const {
  const ValueFact &Root = Values[root(Address)];
  return Root.Kind == ValueKind::Global && (Root.B & GlobalPerCpu);
}

ValueId ValueBuilder::cpuOfOffset(ValueId Offset) const {
  const ValueFact &Value = Values[Offset];
  if (Value.Kind == ValueKind::ThisCpu)
    return Offset;
  if (Value.Kind != ValueKind::Load)
    return None;
  const ValueFact &Slot = Values[Value.A];
  if (Slot.Kind != ValueKind::Element)
    return None;
  const ValueFact &Table = Values[Slot.A];
  if (Table.Kind != ValueKind::Global ||
      !isA(NameKind::CpuOffsetTable, Unit.Facts.Strings[Table.A]))
    return None;
  return Slot.B;
}

ValueId ValueBuilder::sum(ValueId Left, ValueId Right) {
  // SHIFT_PERCPU_PTR: the address of a per-CPU variable plus an offset.
  if (isPerCpuAddress(Right))
    std::swap(Left, Right);
  ValueId Cpu = cpuOfOffset(Right);
  if (isPerCpuAddress(Left))
    return make(ValueKind::PerCpu, Left,
                Cpu != None ? Cpu : make(ValueKind::ThisCpu));
  // The same on a pointer from alloc_percpu().
  if (Cpu == None) {
    std::swap(Left, Right);
    Cpu = cpuOfOffset(Right);
  }
  if (Cpu != None)
    return make(ValueKind::PerCpu, Left, Cpu);
  return unknown();
}

/// `p[0]` is `*p`, which is also what an array decays to.
ValueId ValueBuilder::element(ValueId Array, ValueId Index, QualType Of) {
  return elementBy(Array, Index, 1, Of);
}

ValueId ValueBuilder::element(ValueId Array, const Expr *Index, QualType Of) {
  // `id * 16`: elements of 16 times the size.
  if (const auto *Times = dyn_cast<BinaryOperator>(Index->IgnoreParenCasts())) {
    const Expr *Left = Times->getLHS(), *Right = Times->getRHS();
    const bool Shift = Times->getOpcode() == BO_Shl;
    if (Shift || Times->getOpcode() == BO_Mul) {
      if (!Shift && Left->isIntegerConstantExpr(Unit.context()))
        std::swap(Left, Right);
      if (auto By = Right->getIntegerConstantExpr(Unit.context());
          By && By->isStrictlyPositive() && By->isIntN(16)) {
        const uint64_t Number = By->getZExtValue();
        if (!Shift || Number < 16)
          return elementBy(Array, rvalue(Left),
                           Shift ? uint64_t(1) << Number : Number, Of);
      }
    }
  }
  return elementBy(Array, rvalue(Index), 1, Of);
}

ValueId ValueBuilder::elementBy(ValueId Array, ValueId Index, uint64_t Times,
                                QualType Of) {
  const ValueFact &Number = Values[Index];
  if (Number.Kind == ValueKind::Const && !Number.A && !Number.B)
    return Array;
  uint64_t Bytes = 0;
  if (!Of.isNull() && !Of->isIncompleteType() && !Of->isFunctionType() &&
      !Of->isDependentType() && Of->isConstantSizeType())
    Bytes =
        Times * uint64_t(Unit.context().getTypeSizeInChars(Of).getQuantity());
  return make(ValueKind::Element, Array, Index,
              Bytes <= UINT32_MAX ? uint32_t(Bytes) : 0);
}

ValueId ValueBuilder::containerOf(ValueId Member, const OffsetOfExpr *Offset) {
  for (unsigned I = Offset->getNumComponents(); I != 0; --I) {
    const OffsetOfNode &Node = Offset->getComponent(I - 1);
    if (Node.getKind() == OffsetOfNode::Array) {
      if (Values[Member].Kind == ValueKind::Element)
        Member = Values[Member].A;
      continue;
    }
    if (Node.getKind() != OffsetOfNode::Field)
      return unknown();
    if (isOpened(Node.getField()))
      continue;
    auto [Record, Number] = Unit.member(Node.getField());
    if (Record == None)
      return unknown();
    const ValueFact &Value = Values[Member];
    if (Value.Kind == ValueKind::Field && Value.B == Record &&
        Value.C == Number)
      Member = Value.A;
    else
      Member = make(ValueKind::Container, Member, Record, Number);
  }
  return Member;
}

/// `(void *)p + offsetof(struct s, m)`
ValueId ValueBuilder::memberAt(ValueId Base, const OffsetOfExpr *Offset) {
  for (unsigned I = 0; I != Offset->getNumComponents(); ++I) {
    const OffsetOfNode &Node = Offset->getComponent(I);
    if (Node.getKind() == OffsetOfNode::Field)
      Base = field(Base, Node.getField());
    else if (Node.getKind() == OffsetOfNode::Array)
      Base = element(Base, unknown(), {});
    else
      return unknown();
  }
  return Base;
}

ValueId ValueBuilder::field(ValueId Base, const FieldDecl *Member) {
  if (isOpened(Member))
    return Base;
  auto [Record, Number] = Unit.member(Member);
  if (Record == None)
    return unknown();
  const ValueFact &Value = Values[Base];
  if (Value.Kind == ValueKind::Container && Value.B == Record &&
      Value.C == Number)
    return Value.A;
  return make(ValueKind::Field, Base, Record, Number);
}

ValueId ValueBuilder::computeAddress(const Expr *E) {
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    if (!Field)
      return cxxAddress(E);
    const Expr *Base = Member->getBase();
    if (!Member->isArrow() && !Base->isGLValue())
      return unknown();
    ValueId Place =
        field(Member->isArrow() ? rvalue(Base) : address(Base), Field);
    return Field->getType()->isReferenceType() ? loadFrom(Place) : Place;
  }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *Fn = dyn_cast<FunctionDecl>(Ref->getDecl()))
      return function(Fn);
    if (Captures.contains(Ref->getDecl()) &&
        Ref->refersToEnclosingVariableOrCapture())
      return captured(Ref->getDecl());
    const auto *Var = dyn_cast<VarDecl>(Ref->getDecl());
    return Var ? variableAddress(Var) : cxxAddress(E);
  }
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
    return element(rvalue(Subscript->getBase()), Subscript->getIdx(),
                   Subscript->getType());
  if (const auto *Unary = dyn_cast<UnaryOperator>(E)) {
    if (Unary->getOpcode() == UO_Deref)
      return rvalue(Unary->getSubExpr());
    if (Unary->getOpcode() == UO_Extension ||
        (Unary->isIncrementDecrementOp() && Unary->isPrefix()))
      return address(Unary->getSubExpr());
    return unknown();
  }
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return Cast->getSubExpr()->isGLValue() ? address(Cast->getSubExpr())
                                           : unknown();
  if (const auto *Choose = dyn_cast<ChooseExpr>(E))
    return address(Choose->getChosenSubExpr());
  if (const auto *Generic = dyn_cast<GenericSelectionExpr>(E))
    return address(Generic->getResultExpr());
  return cxxAddress(E);
}

ValueId ValueBuilder::variableAddress(const VarDecl *Var) {
  const bool Reference = Var->getType()->isReferenceType();
  if (Var->hasLocalStorage())
    return Reference ? variable(Var) : object(Var);
  ValueId Place = make(ValueKind::Global, Unit.variableKey(Var),
                       isPerCpu(Var) ? uint32_t(GlobalPerCpu) : 0);
  return Reference ? loadFrom(Place) : Place;
}

ValueId ValueBuilder::load(const Expr *Lvalue) {
  if (const VarDecl *Var = namedLocal(Lvalue))
    if (Var->getType()->isScalarType())
      return variable(Var);
  return loadFrom(address(Lvalue));
}

ValueId ValueBuilder::loadFrom(ValueId Address) {
  const ValueFact &Value = Values[Address];
  if (isPerCpuAddress(Address)) {
    llvm::StringRef Name;
    if (Value.Kind == ValueKind::Global)
      Name = Unit.Facts.Strings[Value.A];
    else if (Value.Kind == ValueKind::Field) {
      const RecordFact &Record = Unit.Facts.Records[Value.B];
      Name =
          Unit.Facts
              .Strings[Unit.Facts.Fields[Record.Fields.Begin + Value.C].Name];
    }
    if (isA(NameKind::RunningCpuVariable, Name))
      return make(ValueKind::ThisCpu);
  }
  // arm64: *raw_cpu_ptr(&cpu_number)
  if (Value.Kind == ValueKind::PerCpu &&
      Values[Value.A].Kind == ValueKind::Global &&
      isA(NameKind::RunningCpuVariable, Unit.Facts.Strings[Values[Value.A].A]))
    return make(ValueKind::ThisCpu);
  return make(ValueKind::Load, Address);
}

} // namespace kst
