// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/BranchTests.h"

using namespace clang;

namespace kst {

namespace {

std::optional<int64_t> constantOf(const Expr *E, const ASTContext &Context) {
  if (E->isValueDependent() || !E->getType()->isIntegerType())
    return std::nullopt;
  const auto Number = E->getIntegerConstantExpr(Context);
  return Number && Number->getSignificantBits() <= 64
             ? std::optional<int64_t>(Number->getExtValue())
             : std::nullopt;
}

TestKind reversed(TestKind Kind) {
  switch (Kind) {
  case TestKind::Equal:
  case TestKind::Unequal:
    return Kind;
  case TestKind::Less:
    return TestKind::Greater;
  case TestKind::Greater:
    return TestKind::Less;
  case TestKind::AtMost:
    return TestKind::AtLeast;
  case TestKind::AtLeast:
    return TestKind::AtMost;
  }
  return Kind;
}

std::optional<TestKind> kindOf(BinaryOperatorKind Operator) {
  switch (Operator) {
  case BO_EQ:
    return TestKind::Equal;
  case BO_NE:
    return TestKind::Unequal;
  case BO_LT:
    return TestKind::Less;
  case BO_GT:
    return TestKind::Greater;
  case BO_LE:
    return TestKind::AtMost;
  case BO_GE:
    return TestKind::AtLeast;
  default:
    return std::nullopt;
  }
}

bool comesFromParam(ValueId Of, const ValueBuilder &Values) {
  for (unsigned Steps = 0; Of != None && Steps != 16; ++Steps) {
    const ValueFact &Value = Values[Of];
    if (Value.Kind == ValueKind::Param)
      return true;
    if (Value.Kind != ValueKind::Load && Value.Kind != ValueKind::Field &&
        Value.Kind != ValueKind::Element)
      return false;
    Of = Value.A;
  }
  return false;
}

} // namespace

std::optional<TestFact> branchTest(const CFGBlock &Node, ValueBuilder &Values,
                                   const ASTContext &Context) {
  if (Node.succ_size() != 2 ||
      isa_and_nonnull<SwitchStmt>(Node.getTerminatorStmt()))
    return std::nullopt;
  const CFGBlock *Then = Node.succ_begin()[0], *Else = Node.succ_begin()[1];
  const auto *E = dyn_cast_or_null<Expr>(Node.getTerminatorCondition());
  if (!Then || !Else || !E)
    return std::nullopt;
  TestFact Test;
  Test.Block = Node.getBlockID();
  Test.Then = Then->getBlockID();
  Test.Else = Else->getBlockID();
  for (E = E->IgnoreParenImpCasts();;) {
    const auto *Not = dyn_cast<UnaryOperator>(E);
    if (!Not || Not->getOpcode() != UO_LNot)
      break;
    std::swap(Test.Then, Test.Else);
    E = Not->getSubExpr()->IgnoreParenImpCasts();
  }
  Test.Kind = TestKind::Unequal; // to 0
  if (const auto *Two = dyn_cast<BinaryOperator>(E))
    if (const auto Kind = kindOf(Two->getOpcode())) {
      const auto Right = constantOf(Two->getRHS(), Context);
      const auto Left = constantOf(Two->getLHS(), Context);
      if (!Right == !Left)
        return std::nullopt;
      Test.Kind = Right ? *Kind : reversed(*Kind);
      Test.With = Right ? *Right : *Left;
      E = (Right ? Two->getLHS() : Two->getRHS())->IgnoreParenImpCasts();
    }
  if (const auto *Two = dyn_cast<BinaryOperator>(E))
    if (const auto Right = constantOf(Two->getRHS(), Context)) {
      const bool Mask = Two->getOpcode() == BO_And && *Right > 0 &&
                        *Right < INT32_MAX && (*Right & (*Right + 1)) == 0;
      if (Mask ||
          (Two->getOpcode() == BO_Rem && *Right > 0 && *Right < INT32_MAX)) {
        Test.Modulus = uint32_t(Mask ? *Right + 1 : *Right);
        E = Two->getLHS()->IgnoreParenImpCasts();
      }
    }
  if (!E->getType()->isIntegerType() || E->isValueDependent())
    return std::nullopt;
  Test.Value = E->isGLValue() ? Values.load(E) : Values.rvalue(E);
  if (!comesFromParam(Test.Value, Values))
    return std::nullopt;
  return Test;
}

} // namespace kst
