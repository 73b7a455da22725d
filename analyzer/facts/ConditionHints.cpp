// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/ConditionHints.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "clang/AST/Stmt.h"
#include "clang/Basic/Builtins.h"

#include <cmath>

using namespace clang;

namespace kst {

/// Conditions nest a handful deep; what is deeper is generated or hostile.
static constexpr unsigned MaxDepth = 16;

llvm::StringRef calleeName(const Expr *E) {
  const auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && Callee->getIdentifier() ? Callee->getName()
                                           : llvm::StringRef();
}

static const BinaryOperator *logical(const Expr *E) {
  const auto *Op = E ? dyn_cast<BinaryOperator>(E->IgnoreParens()) : nullptr;
  return Op && Op->isLogicalOp() ? Op : nullptr;
}

bool isLogical(const Expr *E) { return logical(E) != nullptr; }

const Expr *leafCondition(const CFGBlock *Block) {
  const Stmt *Terminator = Block->getTerminatorStmt();
  if (!Terminator)
    return nullptr;
  const Expr *Condition;
  if (const auto *Op = dyn_cast<BinaryOperator>(Terminator))
    Condition = Op->isLogicalOp() ? Op->getLHS() : nullptr;
  else
    Condition = dyn_cast_or_null<Expr>(Block->getTerminatorCondition());
  while (const BinaryOperator *Op = logical(Condition))
    Condition = Op->getRHS();
  return Condition;
}

/// Probability of each of two alike operands of a logical operator.
static double operandShare(const BinaryOperator *Op, double P) {
  return Op->getOpcode() == BO_LAnd ? std::sqrt(P) : 1 - std::sqrt(1 - P);
}

double lastOperand(const Expr *Condition, double P) {
  for (; const BinaryOperator *Op = logical(Condition);
       Condition = Op->getRHS())
    P = operandShare(Op, P);
  return P;
}

static const VarDecl *localVariable(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  const auto *Var = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return Var && Var->hasLocalStorage() ? Var : nullptr;
}

/// `!!x` as x, with the number of `!` taken off.
static const Expr *stripNot(const Expr *E, unsigned &Nots) {
  E = E->IgnoreParenCasts();
  while (const auto *Not = dyn_cast<UnaryOperator>(E)) {
    if (Not->getOpcode() != UO_LNot)
      break;
    ++Nots;
    E = Not->getSubExpr()->IgnoreParenCasts();
  }
  return E;
}

static const Expr *lastOf(const StmtExpr *E) {
  const CompoundStmt *Body = E->getSubStmt();
  return Body->body_empty() ? nullptr : dyn_cast<Expr>(Body->body_back());
}

std::optional<double> ConditionHints::expectation(const CallExpr *Call) const {
  if (Call->getNumArgs() < 2)
    return std::nullopt;
  Expr::EvalResult Value;
  const Expr *Expected = Call->getArg(1);
  if (Expected->isValueDependent() || !Expected->EvaluateAsInt(Value, Context))
    return std::nullopt;
  double P = Options.Expect;
  unsigned Nots = 0;
  const VarDecl *Var = localVariable(stripNot(Call->getArg(0), Nots));
  if (Var && Keys.contains(Var))
    P = Options.StaticKey;
  if (Call->getNumArgs() > 2) {
    llvm::APFloat Given(0.0);
    if (Call->getArg(2)->EvaluateAsFloat(Given, Context))
      P = Given.convertToDouble();
  }
  if (Var)
    if (auto It = Warnings.find(Var); It != Warnings.end())
      return Nots % 2 ? 1 - It->second : It->second;
  return Value.Val.getInt().isZero() ? 1 - P : P;
}

const Expr *ConditionHints::chosen(const ConditionalOperator *E) const {
  bool First;
  const Expr *Condition = E->getCond();
  if (Condition->isValueDependent() ||
      !Condition->EvaluateAsBooleanCondition(First, Context))
    return nullptr;
  return First ? E->getTrueExpr() : E->getFalseExpr();
}

void ConditionHints::addExpect(const CallExpr *Call) {
  if (auto P = expectation(Call))
    push(Call->getArg(0), *P, 0);
}

void ConditionHints::addAssignment(const BinaryOperator *Assign) {
  const VarDecl *Var = localVariable(Assign->getLHS());
  unsigned Nots = 0;
  if (Var &&
      isA(NameKind::KeyBranch, calleeName(stripNot(Assign->getRHS(), Nots))))
    Keys.insert(Var);
}

void ConditionHints::addLoop(const Expr *Condition, double P) {
  const BinaryOperator *Op = logical(Condition);
  for (unsigned Depth = 0; Op && Depth != MaxDepth; ++Depth) {
    P = operandShare(Op, P);
    FirstOperands.try_emplace(Op, lastOperand(Op->getLHS(), P));
    if (isLogical(Op->getRHS()))
      addLoop(Op->getRHS(), P);
    Op = logical(Op->getLHS());
  }
}

void ConditionHints::addWarning(const Expr *Leaf) {
  unsigned Nots = 0;
  const Expr *E = stripNot(Leaf, Nots);
  if (const auto *Call = dyn_cast<CallExpr>(E))
    if (Call->getNumArgs() > 1 &&
        calleeName(Call).starts_with("__builtin_expect"))
      E = stripNot(Call->getArg(0), Nots);
  const VarDecl *Var = localVariable(E);
  // The variable of a WARN_ON() belongs to the macro: nothing else sets it.
  if (!Var || !Var->getLocation().isMacroID())
    return;
  double P = Nots % 2 ? 1 - Options.Cold : Options.Cold;
  Warnings[Var] = P;
  if (Var->getInit())
    push(Var->getInit(), P, 0);
}

/// E is true with probability P: what follows for operands that branch on the
/// way to its value. `a && b` likely: both are; `a || b` unlikely: neither is.
void ConditionHints::push(const Expr *E, double P, unsigned Depth) {
  if (Depth > MaxDepth)
    return;
  unsigned Nots = 0;
  E = stripNot(E, Nots);
  if (Nots % 2)
    P = 1 - P;
  if (const auto *Block = dyn_cast<StmtExpr>(E)) {
    if (const Expr *Last = lastOf(Block))
      push(Last, P, Depth + 1);
    return;
  }
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
    if (const Expr *Chosen = chosen(Choice))
      push(Chosen, P, Depth + 1);
    return;
  }
  if (const VarDecl *Var = localVariable(E)) {
    if (Var->getInit() && Var->getLocation().isMacroID())
      push(Var->getInit(), P, Depth + 1);
    return;
  }
  const BinaryOperator *Op = logical(E);
  if (!Op || (Op->getOpcode() == BO_LAnd) != (P >= 0.5))
    return;
  FirstOperands[Op] = P;
  push(Op->getLHS(), P, Depth + 1);
  push(Op->getRHS(), P, Depth + 1);
}

ConditionTruth ConditionHints::ofBranch(const CFGBlock *Block) const {
  const Stmt *Terminator = Block->getTerminatorStmt();
  if (auto It = FirstOperands.find(Terminator); It != FirstOperands.end())
    return {It->second, ConditionTruth::Annotated};
  const Expr *Leaf = leafCondition(Block);
  if (!Leaf)
    return {};
  ConditionTruth Truth = truth(Leaf, 0);
  // `if (!lock) ; else body` of a scope macro: there to be passed.
  if (Truth.Strength != ConditionTruth::Annotated)
    if (const auto *If = dyn_cast<IfStmt>(Terminator))
      if (If->getIfLoc().isMacroID() && isScopeMacro(If->getIfLoc(), Context))
        return {1 - Options.Expect, ConditionTruth::Annotated};
  return Truth;
}

ConditionTruth ConditionHints::ofCall(const CallExpr *Call) const {
  llvm::StringRef Name = calleeName(Call);
  if (Name.starts_with("__builtin_expect")) {
    if (auto P = expectation(Call))
      return {*P, ConditionTruth::Annotated};
    return {};
  }
  if (isA(NameKind::ErrorTest, Name))
    return {1 - Options.Expect, ConditionTruth::Annotated};
  if (isA(NameKind::LastReference, Name))
    return {Options.LastReference, ConditionTruth::Annotated};
  if (isA(NameKind::KeyTrue, Name))
    return {Options.StaticKey, ConditionTruth::Annotated};
  if (isA(NameKind::KeyFalse, Name) || isA(NameKind::KeyBranch, Name))
    return {1 - Options.StaticKey, ConditionTruth::Annotated};
  if (Call->getType()->isPointerType())
    return {Options.PointerSet, ConditionTruth::Guessed};
  return {};
}

ConditionTruth ConditionHints::ofLogical(const BinaryOperator *Op,
                                         unsigned Depth) const {
  bool And = Op->getOpcode() == BO_LAnd;
  ConditionTruth A = truth(Op->getLHS(), Depth), B = truth(Op->getRHS(), Depth);
  // Either operand alone can settle it.
  auto Settles = [And](ConditionTruth T) {
    return T.Strength == ConditionTruth::Annotated &&
           (T.Probability < 0.5) == And;
  };
  ConditionTruth Both;
  Both.Probability = And ? A.Probability * B.Probability
                         : 1 - (1 - A.Probability) * (1 - B.Probability);
  Both.Strength = Settles(A) || Settles(B) ? ConditionTruth::Annotated
                                           : std::min(A.Strength, B.Strength);
  if (Both.Strength == ConditionTruth::Unknown)
    Both.Strength = ConditionTruth::Guessed;
  return Both;
}

static std::optional<int64_t> literal(const Expr *E) {
  E = E->IgnoreParenCasts();
  bool Minus = false;
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    if (Unary->getOpcode() == UO_Minus) {
      Minus = true;
      E = Unary->getSubExpr()->IgnoreParenCasts();
    }
  const auto *Number = dyn_cast<IntegerLiteral>(E);
  if (!Number || Number->getValue().getActiveBits() > 63)
    return std::nullopt;
  int64_t Value = Number->getValue().getZExtValue();
  return Minus ? -Value : Value;
}

ConditionTruth ConditionHints::ofComparison(const BinaryOperator *Op,
                                            unsigned Depth) const {
  auto Guess = [](double P) {
    return ConditionTruth{P, ConditionTruth::Guessed};
  };
  const Expr *Left = Op->getLHS();
  std::optional<int64_t> Right = literal(Op->getRHS());
  if (Op->isEqualityOp()) {
    bool Equal = Op->getOpcode() == BO_EQ;
    if (Right == 0) {
      ConditionTruth Value = truth(Left, Depth);
      if (Equal)
        Value.Probability = 1 - Value.Probability;
      if (Value.Strength != ConditionTruth::Unknown)
        return Value;
    }
    // Of a bit nobody knows whether it is set. [BPI]
    const auto *Mask = dyn_cast<BinaryOperator>(Left->IgnoreParenCasts());
    if (Mask && Mask->getOpcode() == BO_And)
      return {};
    double P = Right && *Right < 0 ? Options.Negative : Options.Equal;
    return Guess(Equal ? P : 1 - P);
  }
  // `(long)(a - b) < 0` orders two clocks: either may be ahead.
  const auto *Difference = dyn_cast<BinaryOperator>(Left->IgnoreParenCasts());
  if (Difference && Difference->getOpcode() == BO_Sub)
    return {};
  if (Right != 0 ||
      !Left->IgnoreParenImpCasts()->getType()->isSignedIntegerType())
    return {};
  switch (Op->getOpcode()) {
  case BO_LT:
    return Guess(Options.Negative);
  case BO_GE:
    return Guess(1 - Options.Negative);
  case BO_LE:
    return Guess(Options.Equal);
  case BO_GT:
    return Guess(1 - Options.Equal);
  default:
    return {};
  }
}

ConditionTruth ConditionHints::truth(const Expr *E, unsigned Depth) const {
  if (Depth > MaxDepth)
    return {};
  unsigned Nots = 0;
  E = stripNot(E, Nots);
  ConditionTruth Found;
  if (const auto *Call = dyn_cast<CallExpr>(E)) {
    Found = ofCall(Call);
  } else if (const auto *Block = dyn_cast<StmtExpr>(E)) {
    if (const Expr *Last = lastOf(Block))
      Found = truth(Last, Depth + 1);
  } else if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
    if (const Expr *Chosen = chosen(Choice))
      Found = truth(Chosen, Depth + 1);
  } else if (const auto *Op = dyn_cast<BinaryOperator>(E)) {
    if (Op->isLogicalOp())
      Found = ofLogical(Op, Depth + 1);
    else if (Op->getOpcode() == BO_Comma)
      Found = truth(Op->getRHS(), Depth + 1);
    else if (Op->getOpcode() == BO_Assign)
      Found = truth(Op->getLHS(), Depth + 1);
    else if (Op->isComparisonOp())
      Found = ofComparison(Op, Depth + 1);
  } else if (const VarDecl *Var = localVariable(E)) {
    if (auto It = Warnings.find(Var); It != Warnings.end())
      Found = {It->second, ConditionTruth::Annotated};
    else if (Var->getIdentifier() &&
             isA(NameKind::ErrorVariable, Var->getName()) &&
             Var->getType()->isSignedIntegerType())
      Found = {Options.ErrorCode, ConditionTruth::Guessed};
  }
  if (Found.Strength == ConditionTruth::Unknown &&
      E->getType()->isPointerType())
    Found = {Options.PointerSet, ConditionTruth::Guessed};
  if (Nots % 2)
    Found.Probability = 1 - Found.Probability;
  return Found;
}

} // namespace kst
