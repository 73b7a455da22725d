// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/OpaqueUses.h"

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/ByteRecords.h"
#include "analyzer/facts/FunctionTraits.h"
#include "analyzer/facts/LocalDefinitions.h"
#include "analyzer/facts/MemberRanges.h"
#include "analyzer/facts/PointerTypes.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kst {

namespace {

bool leadsToBytes(QualType Pointer) {
  return Pointer->isPointerType() && (Pointer->getPointeeType()->isVoidType() ||
                                      Pointer->getPointeeType()->isCharType());
}

/// Bytes of what a pointer steps over at once; 0 for records, for pointers,
/// which are not the memory that they lead to, and for all else.
int64_t stepBytes(const OffsetReader &Offsets, QualType Pointer) {
  if (leadsToBytes(Pointer))
    return 1;
  QualType Number = pointedScalar(Pointer);
  return Number.isNull() || Number->isPointerType() ? 0 : Offsets.size(Number);
}

/// A row of pointers, which are not the memory that they lead to.
bool leadsToPointers(QualType Type) {
  if (const ArrayType *Array = Type->getAsArrayTypeUnsafe())
    return Array->getElementType()->isPointerType();
  return Type->isPointerType() && Type->getPointeeType()->isPointerType();
}

/// `i * stride`: from element to element.
bool isElement(const OffsetReader &Offsets, const Expr *Index) {
  const auto *Binary = dyn_cast<BinaryOperator>(Index->IgnoreParenImpCasts());
  int64_t Value;
  return Binary && Binary->getOpcode() == BO_Mul &&
         !Offsets.evaluate(Binary->getLHS(), Value) &&
         !Offsets.evaluate(Binary->getRHS(), Value);
}

/// The record of which a pointer names one scalar member: `&p->a`.
const RecordDecl *namedMember(const Expr *Pointer) {
  const FieldDecl *Field = addressedMember(Pointer->IgnoreParenCasts());
  return Field && Field->getType()->isScalarType() ? ownerOf(Field) : nullptr;
}

} // namespace

SlotFact OpaqueUses::use(OpaqueKind Kind, SourceLocation Where) const {
  auto [File, Line] = Unit.place(Where);
  return {SlotKind::Opaque, File, Line, uint32_t(Kind)};
}

void OpaqueUses::setLocal(const VarDecl *Var, const Expr *Value) {
  if (!Var->getType()->isScalarType() && !Var->getType()->isArrayType())
    return;
  if (Value)
    Numbers.setLocal(Var, Value);
  else
    Changed.insert(Var);
}

void OpaqueUses::addComparison(const BinaryOperator *Binary) {
  const Expr *Left = Binary->getLHS(), *Right = Binary->getRHS();
  for (auto [Side, Other] : {std::pair(Left, Right), std::pair(Right, Left)})
    if (const VarDecl *Var = namedLocal(Side))
      Bounds[Var].push_back(Other);
}

void OpaqueUses::addStep(const Expr *Pointer, const Expr *Index,
                         const OffsetSum &Sum, SourceLocation Where) {
  if (!Sum.empty() ||
      (Index && (isMeasured(Index) || isElement(Offsets, Index))))
    return;
  if (const VarDecl *Var = namedLocal(Pointer);
      Var && Var->getType()->isIntegerType())
    Sums[Var].push_back(Index);
  if (!stepBytes(Offsets, Pointer->getType()))
    return;
  Steps.push_back({Pointer, Index, Where});
}

void OpaqueUses::addArgument(const CallExpr *Call, unsigned Number,
                             const OffsetSum &Value,
                             llvm::ArrayRef<const Expr *> Held) {
  const Expr *Arg = Call->getArg(Number);
  if (const VarDecl *Buffer = namedLocal(Arg);
      Buffer && Buffer->getType()->isArrayType())
    Filled.insert(Buffer);
  if (!Arg->getType()->isIntegerType())
    return;
  int64_t Count;
  const bool Known = !Value.empty() || isMeasured(Arg);
  const bool Constant = !Known && Offsets.evaluate(Arg, Count);
  llvm::SmallVector<const Expr *, 2> Pointers;
  const bool Counted = isCounted(Offsets, Call, Number, Pointers);
  // A rule follows from a known number of bytes (addOverrun()).
  std::optional<NumberKind> Kind;
  if (Known || (Constant && Counted))
    Kind = Known ? NumberKind::Measured : NumberKind::Counted;
  Numbers.addArgument(Call, Number, Kind);
  if (Known || Constant || !Counted)
    return;
  for (const Expr *Pointer : Pointers)
    if (!leadsToPointers(Pointer->IgnoreParenCasts()->getType()) &&
        !llvm::is_contained(Held, Pointer))
      Lengths.push_back({Pointer, Arg, Call->getExprLoc()});
}

/// The pointer behind sums, and the values of local pointers to numbers. Of
/// larger ones than bytes the rules know more: Bytes is for those of bytes.
void OpaqueUses::bases(const Expr *Pointer, bool Bytes, Pointers &Found,
                       Seen &Visited) const {
  const Expr *E = Pointer->IgnoreParenImpCasts();
  if (const auto *Binary = dyn_cast<BinaryOperator>(E);
      Binary && Binary->isAdditiveOp() &&
      Binary->getLHS()->getType()->isPointerType())
    return bases(Binary->getLHS(), Bytes, Found, Visited);
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E);
      Cast && Cast->getSubExpr()->getType()->isPointerType() &&
      !pointee(Cast->getSubExpr()->getType()))
    return bases(Cast->getSubExpr(), Bytes, Found, Visited);
  if (const auto *Unary = dyn_cast<UnaryOperator>(E);
      Unary && Unary->isIncrementDecrementOp())
    return bases(Unary->getSubExpr(), Bytes, Found, Visited);
  const VarDecl *Var = isa<DeclRefExpr>(E) ? namedLocal(E) : nullptr;
  if (!Var) {
    Found.push_back(E);
    return;
  }
  if (!Visited.insert(Var).second)
    return;
  // Where else a pointer to bytes comes from the flows of pointers know.
  const bool OfNumbers = !pointedScalar(Var->getType()).isNull();
  if (!OfNumbers)
    Found.push_back(E);
  for (const Expr *Value : Numbers.values(Var)) {
    const Expr *Set = Value->IgnoreParenCasts();
    if (OfNumbers ? Bytes || leadsToBytes(Set->getType())
                  : namedMember(Set) || !pointedScalar(Set->getType()).isNull())
      bases(OfNumbers ? Value : Set, Bytes, Found, Visited);
  }
}

OpaqueUses::Pointers OpaqueUses::bases(const Expr *Pointer) const {
  Pointers Found;
  Seen Visited;
  bases(Pointer, leadsToBytes(Pointer->getType()), Found, Visited);
  return Found;
}

void OpaqueUses::emit(const Expr *Pointer, OpaqueKind Kind, const Stmt *Number,
                      SourceLocation Where) {
  MeasuredNumbers::Slots From;
  if (Number && Numbers.isMeasured(Number, From))
    return;
  const RecordDecl *Record = namedMember(Pointer);
  if (Record && Kind == OpaqueKind::Length)
    Kind = OpaqueKind::Rest;
  const SlotFact Use = use(Kind, Where);
  bool Reached = false;
  if (Record) {
    if (!isComplete(Record) || Record->isUnion())
      return;
    Flows.addNumber({SlotKind::Record, Unit.record(Record), 0, 0}, Use, Where);
    Reached = true;
  } else {
    Reached = Flows.addUse(Pointer, Use, Where);
  }
  if (Reached)
    for (const SlotFact &One : From)
      Flows.addNumber(One, Use, Where);
}

void OpaqueUses::emitByte(const Expr *Pointer, int64_t Byte,
                          SourceLocation Where) {
  if (Byte > 0 && Byte < (int64_t(1) << 20))
    Flows.addUse(Pointer, {SlotKind::Byte, uint32_t(Byte), 0, 0}, Where);
}

/// The variable that an index is, constants aside, if a loop moves it.
const VarDecl *OpaqueUses::running(const Expr *Index) const {
  Index = Index->IgnoreParenImpCasts();
  int64_t Constant;
  if (const auto *Unary = dyn_cast<UnaryOperator>(Index);
      Unary && Unary->isIncrementDecrementOp())
    Index = Unary->getSubExpr();
  else if (const auto *Sum = dyn_cast<BinaryOperator>(Index);
           Sum && Sum->isAdditiveOp() &&
           Offsets.evaluate(Sum->getRHS(), Constant))
    Index = Sum->getLHS();
  const VarDecl *Var = namedLocal(Index);
  return Var && Changed.count(Var) ? Var : nullptr;
}

/// A row of bytes or numbers; how long it is, what ends the loop says.
void OpaqueUses::resolveRun(const Step &One, const VarDecl *Var) {
  auto It = Bounds.find(Var);
  if (It == Bounds.end())
    return;
  const int64_t Bytes = stepBytes(Offsets, One.Pointer->getType());
  const Pointers Bases = bases(One.Pointer);
  for (const Expr *Bound : It->second)
    for (const Expr *Base : Bases) {
      int64_t Count;
      if (!Offsets.evaluate(Bound, Count))
        emit(Base, OpaqueKind::Length, Bound, One.Where);
      else if (!isMeasured(Bound))
        emitByte(Base, Count * Bytes - 1, One.Where);
    }
}

void OpaqueUses::resolve(const Step &One) {
  int64_t Count;
  if (!One.Index) {
    if (const VarDecl *Var = namedLocal(One.Pointer))
      resolveRun(One, Var);
    return;
  }
  if (const VarDecl *Var = running(One.Index))
    return resolveRun(One, Var);
  const Pointers Bases = bases(One.Pointer);
  const int64_t Bytes =
      std::max<int64_t>(1, stepBytes(Offsets, One.Pointer->getType()));
  for (const Expr *Base : Bases) {
    if (!Offsets.evaluate(One.Index, Count))
      emit(Base, OpaqueKind::Offset, One.Index, One.Where);
    else if (!isa<DeclRefExpr, MemberExpr>(
                 One.Pointer->IgnoreParenImpCasts()) ||
             One.Pointer->getType()->isVoidPointerType() || Bytes > 1)
      emitByte(Base, Count * Bytes + Bytes - 1, One.Where);
  }
}

void OpaqueUses::addCast(const CastExpr *Cast) {
  const RecordDecl *Record = pointee(Cast->getType());
  if (!isComplete(Record))
    return;
  if (const Expr *Bytes = bytesUnder(Cast->getSubExpr()))
    Casts.push_back({Cast, Bytes});
}

void OpaqueUses::addNumberCast(const CastExpr *Cast) {
  if (!pointee(Cast->getType()))
    NumberCasts.push_back(Cast);
}

/// The pointers and the other numbers that a number is the sum of.
void OpaqueUses::collectTerms(const Expr *Number, NumberTerms &Of) const {
  while (true) {
    Number = Number->IgnoreParens();
    const auto *Cast = dyn_cast<CastExpr>(Number);
    if (!Cast)
      break;
    Number = Cast->getSubExpr();
    if (Cast->getCastKind() == CK_PointerToIntegral) {
      Of.Bases.push_back(Number);
      return;
    }
  }
  if (const auto *Binary = dyn_cast<BinaryOperator>(Number);
      Binary && Binary->isAdditiveOp()) {
    collectTerms(Binary->getLHS(), Of);
    return collectTerms(Binary->getRHS(), Of);
  }
  if (const auto *Either = dyn_cast<ConditionalOperator>(Number)) {
    collectTerms(Either->getTrueExpr(), Of);
    return collectTerms(Either->getFalseExpr(), Of);
  }
  const VarDecl *Var = namedLocal(Number);
  if (Var && !Of.Visited.insert(Var).second)
    return;
  const size_t Bases = Of.Bases.size(), Added = Of.Added.size();
  if (Var) {
    for (const Expr *Value : Numbers.values(Var))
      collectTerms(Value, Of);
    if (auto It = Sums.find(Var); It != Sums.end())
      Of.Added.append(It->second);
  }
  if (Of.Bases.size() != Bases)
    return;
  Of.Added.truncate(Added);
  Of.Added.push_back(Number);
}

/// `&x.member`: copies of x, which lie apart as the kernel says.
static bool isInPerCpu(const Expr *Address) {
  const Expr *E = Address->IgnoreParenCasts();
  while (true) {
    if (const auto *Unary = dyn_cast<UnaryOperator>(E))
      E = Unary->getSubExpr()->IgnoreParenCasts();
    else if (const auto *Member = dyn_cast<MemberExpr>(E);
             Member && !Member->isArrow())
      E = Member->getBase()->IgnoreParenCasts();
    else if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E))
      E = Element->getBase()->IgnoreParenCasts();
    else
      break;
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *Var = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return Var && isPerCpu(Var);
}

void OpaqueUses::resolveNumber(const CastExpr *Cast) {
  NumberTerms Of;
  collectTerms(Cast->getSubExpr(), Of);
  for (const Expr *Base : Of.Bases)
    if (!isInPerCpu(Base))
      for (const Expr *Added : Of.Added)
        if (!isMeasured(Added) && !isElement(Offsets, Added))
          resolve({Base, Added, Cast->getExprLoc()});
}

/// Whether anything but code that names the record fills an array of bytes.
bool OpaqueUses::isFilled(const VarDecl *Buffer) const {
  const Expr *Init = Buffer->getInit();
  return Filled.count(Buffer) ||
         (Init && !isZero(Init, Unit.context()) &&
          (isa<clang::StringLiteral>(Init->IgnoreParenImpCasts()) ||
           isa<InitListExpr>(Init->IgnoreParenImpCasts())));
}

void OpaqueUses::addAsm(const GCCAsmStmt *Asm) {
  llvm::SmallVector<GCCAsmStmt::AsmStringPiece, 8> Pieces;
  unsigned Where;
  if (Asm->AnalyzeAsmString(Pieces, Unit.context(), Where))
    return;
  for (size_t I = 1; I + 1 < Pieces.size(); ++I) {
    if (!Pieces[I].isOperand() || !Pieces[I - 1].isString() ||
        !Pieces[I + 1].isString())
      continue;
    llvm::StringRef Before = Pieces[I - 1].getString();
    llvm::StringRef Behind = llvm::StringRef(Pieces[I + 1].getString()).ltrim();
    const bool Open = Before.ends_with("(") || Before.ends_with("[");
    // `(%0,%1)`, `[%0, %1]`: another register is added.
    const bool Another = Behind.consume_front(",") &&
                         (Behind = Behind.ltrim()).empty() &&
                         I + 2 < Pieces.size() && Pieces[I + 2].isOperand();
    const bool Register = Behind.starts_with("%") || Behind.starts_with("x") ||
                          Behind.starts_with("r");
    const unsigned Number = Pieces[I].getOperandNo();
    const unsigned Outputs = Asm->getNumOutputs();
    if (!Open || !(Another || Register) ||
        Number >= Outputs + Asm->getNumInputs())
      continue;
    const Expr *Operand = Number < Outputs
                              ? Asm->getOutputExpr(Number)
                              : Asm->getInputExpr(Number - Outputs);
    Flows.addUse(Operand, use(OpaqueKind::Assembly, Asm->getAsmLoc()),
                 Asm->getAsmLoc());
  }
}

void OpaqueUses::finish(const Stmt *Body) {
  Numbers.finish();
  for (const CastExpr *Cast : NumberCasts)
    resolveNumber(Cast);
  for (const Step &One : Steps)
    resolve(One);
  for (const Step &One : Lengths)
    emit(One.Pointer, OpaqueKind::Length, One.Index, One.Where);
  if (Casts.empty())
    return;
  for (const auto &[Cast, Bytes] : Casts) {
    const auto *Ref = dyn_cast<DeclRefExpr>(Bytes);
    const auto *Var = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (Bytes->getType()->isArrayType()
            ? !Var || !isFilled(Var)
            : !isRead(Body, Cast, Var && isa<ParmVarDecl>(Var)))
      continue;
    const SourceLocation Where = Cast->getExprLoc();
    const SlotFact Use = use(OpaqueKind::Foreign, Where);
    Flows.addUse(Bytes, Use, Where);
    Flows.addNumber(
        Use, {SlotKind::Record, Unit.record(pointee(Cast->getType())), 0, 0},
        Where);
  }
}

} // namespace kst
