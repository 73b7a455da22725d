// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/MeasuredNumbers.h"

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/Calls.h"
#include "analyzer/facts/PointerTypes.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kst {

static constexpr SlotFact number(NumberKind Kind) {
  return {SlotKind::Number, uint32_t(Kind), 0, 0};
}

/// `&p->b`, `p->array`
static bool isMemberAddress(const Expr *Pointer) {
  Pointer = Pointer->IgnoreParenCasts();
  return addressedMember(Pointer) ||
         (isa<MemberExpr>(Pointer) && Pointer->getType()->isArrayType());
}

/// Whether a type is a record, or an array of such.
static bool holdsMembers(QualType Type) {
  return Type->getBaseElementTypeUnsafe()->isRecordType();
}

bool isMeasured(const Stmt *Number) {
  if (!Number)
    return false;
  if (isa<OffsetOfExpr>(Number))
    return true;
  if (const auto *Size = dyn_cast<UnaryExprOrTypeTraitExpr>(Number))
    return Size->getKind() == UETT_SizeOf &&
           (holdsMembers(Size->getTypeOfArgument()) ||
            (!Size->isArgumentType() &&
             isa<MemberExpr>(Size->getArgumentExpr()->IgnoreParens())));
  // `(char *)(p + 1) - (char *)&p->b`: where the compiler put a member.
  if (const auto *Binary = dyn_cast<BinaryOperator>(Number);
      Binary && Binary->getOpcode() == BO_Sub &&
      Binary->getLHS()->getType()->isPointerType())
    if (isMemberAddress(Binary->getLHS()) || isMemberAddress(Binary->getRHS()))
      return true;
  return llvm::any_of(Number->children(),
                      [](const Stmt *Part) { return isMeasured(Part); });
}

void MeasuredNumbers::setLocal(const VarDecl *Var, const Expr *Value) {
  Values[Var].push_back(Value);
}

llvm::ArrayRef<const Expr *> MeasuredNumbers::values(const VarDecl *Var) const {
  auto It = Values.find(Var);
  return It == Values.end() ? llvm::ArrayRef<const Expr *>() : It->second;
}

bool MeasuredNumbers::isMeasured(const Stmt *Number, Slots &From) const {
  Seen Visited;
  return sources(Number, From, Visited);
}

bool MeasuredNumbers::sources(const Stmt *Number, Slots &Found,
                              Seen &Visited) const {
  if (kst::isMeasured(Number))
    return true;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Number)) {
    const auto *Var = dyn_cast<VarDecl>(Ref->getDecl());
    if (!Var || !Visited.insert(Var).second)
      return false;
    if (const auto *Param = dyn_cast<ParmVarDecl>(Var)) {
      if (const auto *Function =
              dyn_cast<FunctionDecl>(Param->getDeclContext()))
        Found.push_back({SlotKind::Param, Unit.functionKey(Function),
                         paramNumber(Param), 0});
    } else if (Var->hasGlobalStorage()) {
      Found.push_back({SlotKind::Global, Unit.variableKey(Var), 0, 0});
    }
    return llvm::any_of(values(Var), [&](const Expr *Value) {
      return sources(Value, Found, Visited);
    });
  }
  if (const auto *Member = dyn_cast<MemberExpr>(Number)) {
    if (const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl()))
      if (uint32_t Record = Unit.record(ownerOf(Field)); Record != None)
        Found.push_back({SlotKind::Member, Record, numberOf(Field), 0});
    return false;
  }
  if (const auto *Either = dyn_cast<ConditionalOperator>(Number)) {
    const bool First = sources(Either->getTrueExpr(), Found, Visited);
    return sources(Either->getFalseExpr(), Found, Visited) || First;
  }
  // `offsets[i]`: which one it is says nothing of the number.
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Number))
    return sources(Element->getBase(), Found, Visited);
  if (const auto *Call = dyn_cast<CallExpr>(Number)) {
    if (const FunctionDecl *Callee = Call->getDirectCallee())
      Found.push_back({SlotKind::Result, Unit.functionKey(Callee), 0, 0});
  }
  return llvm::any_of(Number->children(), [&](const Stmt *Part) {
    return Part && sources(Part, Found, Visited);
  });
}

/// What an argument becomes; none where nobody knows.
std::optional<SlotFact> MeasuredNumbers::parameter(const CallExpr *Call,
                                                   unsigned Number) const {
  if (const FunctionDecl *Callee = Call->getDirectCallee()) {
    if (Callee->getBuiltinID() || Number >= Callee->getNumParams())
      return std::nullopt;
    return SlotFact{SlotKind::Param, Unit.functionKey(Callee),
                    Number + takesThis(Callee), 0};
  }
  const FieldDecl *Field = calledMember(Call);
  const uint32_t Record = Field ? Unit.record(ownerOf(Field)) : None;
  if (Record == None)
    return std::nullopt;
  return SlotFact{SlotKind::TableParam, Record, numberOf(Field), Number};
}

void MeasuredNumbers::addArgument(const CallExpr *Call, unsigned Number,
                                  std::optional<NumberKind> Kind) {
  const std::optional<SlotFact> To = parameter(Call, Number);
  const Expr *Arg = Call->getArg(Number);
  if (To && Kind)
    Flows.addNumber(number(*Kind), *To, Arg->getExprLoc());
  else if (To)
    Passed.push_back({Arg, *To});
}

void MeasuredNumbers::finish() {
  for (const auto &[Arg, To] : Passed) {
    Slots From;
    if (isMeasured(Arg, From)) {
      Flows.addNumber(number(NumberKind::Measured), To, Arg->getExprLoc());
      continue;
    }
    for (const SlotFact &One : From)
      Flows.addNumber(One, To, Arg->getExprLoc());
    if (From.empty())
      Flows.addNumber(number(NumberKind::Written), To, Arg->getExprLoc());
  }
}

void MeasuredNumbers::addMember(const FieldDecl *Field, const Expr *Value) {
  if (!Field->getType()->isIntegerType() || !kst::isMeasured(Value))
    return;
  if (uint32_t Record = Unit.record(ownerOf(Field)); Record != None)
    Flows.addNumber(number(NumberKind::Measured),
                    {SlotKind::Member, Record, numberOf(Field), 0},
                    Value->getExprLoc());
}

void MeasuredNumbers::addVariable(const VarDecl *Var) {
  QualType Type = Var->getType();
  while (const ArrayType *Array = Type->getAsArrayTypeUnsafe())
    Type = Array->getElementType();
  if (Var->hasGlobalStorage() && Type->isIntegerType() &&
      kst::isMeasured(Var->getInit()))
    Flows.addNumber(number(NumberKind::Measured),
                    {SlotKind::Global, Unit.variableKey(Var), 0, 0},
                    Var->getLocation());
}

} // namespace kst
