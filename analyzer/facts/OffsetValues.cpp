// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/OffsetValues.h"

#include "analyzer/facts/Assertions.h"
#include "analyzer/facts/LocalDefinitions.h"

using namespace clang;

namespace kst {

static void blurInto(llvm::DenseMap<const VarDecl *, OffsetSum> &Sums,
                     const VarDecl *Var, const OffsetSum &Value) {
  auto [It, New] = Sums.try_emplace(Var, Value);
  if (!New)
    It->second.blur(Value);
}

void OffsetValues::set(const VarDecl *Var, const OffsetSum &Value) {
  if (!Value.empty())
    blurInto(Locals, Var, Value);
}

OffsetSum OffsetValues::memberAddress(const Expr *E) const {
  if (const VarDecl *Var = namedLocal(E->IgnoreParenCasts())) {
    auto It = Addresses.find(Var);
    return It == Addresses.end() ? OffsetSum() : It->second;
  }
  // `p->a + sizeof(p->a)`
  if (const auto *Binary = dyn_cast<BinaryOperator>(E->IgnoreParenCasts());
      Binary && Binary->isAdditiveOp() &&
      Binary->getLHS()->getType()->isPointerType()) {
    OffsetSum Sum = memberAddress(Binary->getLHS());
    Sum.Linear = false;
    return Sum;
  }
  const Expr *Base;
  OffsetSum Sum = Offsets.ofMember(E, Base);
  return Base ? Sum : OffsetSum();
}

void OffsetValues::setAddress(const VarDecl *Var, const Expr *Value) {
  if (!Var->getType()->isPointerType())
    return;
  if (OffsetSum Sum = memberAddress(Value); !Sum.Terms.empty())
    blurInto(Addresses, Var, Sum);
}

OffsetSum OffsetValues::returned(const CallExpr *Call) {
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

OffsetSum OffsetValues::named(const ValueDecl *Named) const {
  if (const auto *Var = dyn_cast<VarDecl>(Named))
    if (auto It = Locals.find(Var); It != Locals.end())
      return It->second;
  const Expr *Init = nullptr;
  if (const auto *Constant = dyn_cast<EnumConstantDecl>(Named))
    Init = Constant->getInitExpr();
  else if (const auto *Var = dyn_cast<VarDecl>(Named);
           Var && !Var->hasLocalStorage() && Var->getType()->isIntegerType() &&
           Var->getType().isConstQualified())
    Init = Var->getInit();
  return Init && mentionsOffset(Init) ? Offsets.read(Init) : OffsetSum();
}

} // namespace kst
