// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/LoopTrips.h"

#include "analyzer/facts/ConditionHints.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "clang/AST/StmtCXX.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace clang;

namespace kst {

const Expr *loopCondition(const Stmt *Loop) {
  if (!Loop)
    return nullptr;
  if (const auto *For = dyn_cast<ForStmt>(Loop))
    return For->getCond();
  if (const auto *While = dyn_cast<WhileStmt>(Loop))
    return While->getCond();
  if (const auto *Do = dyn_cast<DoStmt>(Loop))
    return Do->getCond();
  if (const auto *Each = dyn_cast<CXXForRangeStmt>(Loop))
    return Each->getCond();
  return nullptr;
}

static const VarDecl *variable(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

static std::optional<int64_t> constant(const Expr *E,
                                       const ASTContext &Context) {
  Expr::EvalResult Value;
  if (!E || E->isValueDependent() || !E->getType()->isIntegerType())
    return std::nullopt;
  if (!E->EvaluateAsInt(Value, Context))
    return std::nullopt;
  return Value.Val.getInt().tryExtValue();
}

/// The value that the init part gives to Var.
static const Expr *initialValue(const Stmt *Init, const VarDecl *Var) {
  if (const auto *Decls = dyn_cast_or_null<DeclStmt>(Init))
    return llvm::is_contained(Decls->decls(), Var) ? Var->getInit() : nullptr;
  const auto *Assign = dyn_cast_or_null<BinaryOperator>(Init);
  while (Assign && Assign->getOpcode() == BO_Comma) {
    if (const Expr *Found = initialValue(Assign->getLHS(), Var))
      return Found;
    Assign = dyn_cast<BinaryOperator>(Assign->getRHS()->IgnoreParens());
  }
  if (Assign && Assign->getOpcode() == BO_Assign &&
      variable(Assign->getLHS()) == Var)
    return Assign->getRHS();
  return nullptr;
}

/// What one round adds to Var, 0 if unknown.
static int64_t step(const Expr *Inc, const VarDecl *Var,
                    const ASTContext &Context) {
  if (!Inc)
    return 0;
  Inc = Inc->IgnoreParens();
  if (const auto *Unary = dyn_cast<UnaryOperator>(Inc))
    if (Unary->isIncrementDecrementOp() && variable(Unary->getSubExpr()) == Var)
      return Unary->isIncrementOp() ? 1 : -1;
  const auto *Binary = dyn_cast<BinaryOperator>(Inc);
  if (!Binary || variable(Binary->getLHS()) != Var)
    return 0;
  if (Binary->getOpcode() == BO_AddAssign)
    return constant(Binary->getRHS(), Context).value_or(0);
  if (Binary->getOpcode() == BO_SubAssign)
    return -constant(Binary->getRHS(), Context).value_or(0);
  return 0;
}

static std::optional<double> constantTrips(const ForStmt *For,
                                           const ASTContext &Context) {
  const Expr *Cond = For->getCond();
  const auto *Compare =
      Cond ? dyn_cast<BinaryOperator>(Cond->IgnoreParenCasts()) : nullptr;
  if (!Compare || !Compare->isComparisonOp())
    return std::nullopt;
  const VarDecl *Var = variable(Compare->getLHS());
  const Expr *Init = Var ? initialValue(For->getInit(), Var) : nullptr;
  int64_t Step = Init ? step(For->getInc(), Var, Context) : 0;
  if (!Step)
    return std::nullopt;
  auto First = constant(Init, Context);
  auto Last = constant(Compare->getRHS(), Context);
  if (!First || !Last)
    return std::nullopt;
  double Distance = (double(*Last) - double(*First)) / double(Step);
  BinaryOperatorKind Op = Compare->getOpcode();
  bool Up = Op == BO_LT || Op == BO_LE, Down = Op == BO_GT || Op == BO_GE;
  if ((Up && Step < 0) || (Down && Step > 0) || (!Up && !Down && Op != BO_NE))
    return std::nullopt;
  double Trips = Op == BO_LE || Op == BO_GE ? std::floor(Distance) + 1
                                            : std::ceil(Distance);
  return std::max(Trips, 0.0);
}

/// `p = p->parent`, `p = parent_of(p)`: hierarchies are a few levels deep.
static bool climbs(const Expr *Inc) {
  const auto *Assign =
      Inc ? dyn_cast<BinaryOperator>(Inc->IgnoreParens()) : nullptr;
  if (!Assign || Assign->getOpcode() != BO_Assign)
    return false;
  const Expr *Next = Assign->getRHS()->IgnoreParenCasts();
  if (const auto *Member = dyn_cast<MemberExpr>(Next))
    return Member->getMemberDecl()->getIdentifier() &&
           isA(NameKind::ParentMember, Member->getMemberDecl()->getName());
  return isA(NameKind::ParentFunction, calleeName(Next));
}

static bool overCpus(const ForStmt *For, const ASTContext &Context) {
  return expandsFrom(For->getForLoc(), Context, [](llvm::StringRef Name) {
    return isA(NameKind::CpuLoop, Name);
  });
}

double expectedTrips(const Stmt *Loop, const ASTContext &Context,
                     const FlowOptions &Options) {
  if (const auto *Each = dyn_cast<CXXForRangeStmt>(Loop))
    if (const auto *Array =
            Context.getAsConstantArrayType(Each->getRangeInit()->getType()))
      return std::min(double(Array->getZExtSize()), Options.MaxTrips);
  const auto *For = dyn_cast<ForStmt>(Loop);
  if (!For)
    return Options.Trips;
  if (auto Trips = constantTrips(For, Context))
    return std::min(*Trips, Options.MaxTrips);
  if (climbs(For->getInc()))
    return Options.AncestorTrips;
  return overCpus(For, Context) ? Options.CpuTrips : Options.Trips;
}

static bool callsRetry(const Stmt *S, unsigned Depth) {
  if (!S || Depth > 12)
    return false;
  if (const auto *E = dyn_cast<Expr>(S))
    if (isA(NameKind::Retry, calleeName(E)))
      return true;
  for (const Stmt *Child : S->children())
    if (callsRetry(Child, Depth + 1))
      return true;
  return false;
}

bool isRetryCondition(const Expr *Condition) {
  return callsRetry(Condition, 0);
}

} // namespace kst
