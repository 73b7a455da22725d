// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/Assertions.h"

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/OffsetSum.h"

#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kst {

bool mentionsOffset(const Stmt *S) {
  if (!S)
    return false;
  if (isa<OffsetOfExpr>(S))
    return true;
  if (const auto *Cast = dyn_cast<CastExpr>(S);
      Cast && Cast->getCastKind() == CK_PointerToIntegral)
    return true;
  if (isa<UnaryExprOrTypeTraitExpr>(S))
    return false;
  return llvm::any_of(S->children(), mentionsOffset);
}

namespace {

enum class Truth { Always, Never, Depends };

Truth truth(BinaryOperatorKind Op, OffsetRange Value) {
  auto Decide = [](bool Always, bool Never) {
    return Always ? Truth::Always : Never ? Truth::Never : Truth::Depends;
  };
  auto [Low, High] = Value;
  switch (Op) {
  case BO_LT:
    return Decide(High < 0, Low >= 0);
  case BO_LE:
    return Decide(High <= 0, Low > 0);
  case BO_GT:
    return Decide(Low > 0, High <= 0);
  case BO_GE:
    return Decide(Low >= 0, High < 0);
  case BO_EQ:
    return Decide(Low == 0 && High == 0, Low > 0 || High < 0);
  case BO_NE:
    return Decide(Low > 0 || High < 0, Low == 0 && High == 0);
  default:
    return Truth::Depends;
  }
}

void widen(OffsetRange &Value, OffsetRange By, int64_t Factor) {
  int64_t A = By.Low * Factor, B = By.High * Factor;
  Value.Low += std::min(A, B);
  Value.High += std::max(A, B);
}

class AssertionReader {
public:
  explicit AssertionReader(DemandTable &Demands)
      : Demands(Demands), Offsets(Demands.unit().context()) {}

  void condition(const Expr *E) {
    E = E->IgnoreParenCasts();
    if (const auto *Full = dyn_cast<FullExpr>(E))
      return condition(Full->getSubExpr());
    if (const auto *Not = dyn_cast<UnaryOperator>(E);
        Not && Not->getOpcode() == UO_LNot)
      return condition(Not->getSubExpr());
    if (const auto *Either = dyn_cast<AbstractConditionalOperator>(E)) {
      condition(Either->getCond());
      condition(Either->getTrueExpr());
      return condition(Either->getFalseExpr());
    }
    if (const auto *Call = dyn_cast<CallExpr>(E)) {
      if (Call->getNumArgs()) // __builtin_expect
        condition(Call->getArg(0));
      return;
    }
    const auto *Binary = dyn_cast<BinaryOperator>(E);
    if (Binary && Binary->isLogicalOp()) {
      condition(Binary->getLHS());
      return condition(Binary->getRHS());
    }
    if (!Binary || !Binary->isComparisonOp())
      return comparison(Offsets.read(E), BO_NE, E->getExprLoc());
    OffsetSum Value = Offsets.read(Binary->getLHS());
    Value.add(Offsets.read(Binary->getRHS()), -1);
    comparison(Value, Binary->getOpcode(), E->getExprLoc());
  }

private:
  /// `Value Op 0` must stay what it is.
  void comparison(const OffsetSum &Value, BinaryOperatorKind Op,
                  SourceLocation Where) {
    if (Value.Terms.empty() || atEnd(Value, Where))
      return;
    if (!Value.Linear) {
      for (const OffsetTerm &Term : Value.Terms)
        Demands.add(DemandKind::AssertedOffset, Term.Field, Where);
      return;
    }
    if (truth(Op, without(Value, {})) != Truth::Depends)
      return;
    for (const OffsetTerm &A : Value.Terms)
      for (const OffsetTerm &B : Value.Terms)
        if (isPair(A, B) && heldByOrder(Value, A, B, Op))
          return Demands.add(DemandKind::AssertedOrder, A.Field, Where,
                             numberOf(B.Field));
    for (const OffsetTerm &Term : Value.Terms) {
      auto *Partner = llvm::find_if(Value.Terms, [&](const OffsetTerm &Other) {
        return isPair(Term, Other) || isPair(Other, Term);
      });
      if (Partner == Value.Terms.end())
        Demands.add(DemandKind::AssertedOffset, Term.Field, Where);
      else if (isPair(Term, *Partner))
        Demands.add(DemandKind::AssertedSpan, Partner->Field, Where,
                    numberOf(Term.Field));
    }
  }

  /// Only the end of the record says where its last field must be.
  bool atEnd(const OffsetSum &Value, SourceLocation Where) {
    if (Value.Terms.size() != 1)
      return false;
    const FieldDecl *Field = Value.Terms[0].Field;
    if (!Offsets.isLast(Field) ||
        !llvm::is_contained(Value.Sizes, ownerOf(Field)))
      return false;
    Demands.add(DemandKind::AssertedEnd, Field, Where);
    return true;
  }

  /// A lies behind B in the same record, and the sum has their distance.
  static bool isPair(const OffsetTerm &A, const OffsetTerm &B) {
    return ownerOf(A.Field) == ownerOf(B.Field) && A.Factor == -B.Factor &&
           numberOf(A.Field) > numberOf(B.Field);
  }

  /// The comparison keeps its truth value while A stays behind B.
  bool heldByOrder(const OffsetSum &Value, const OffsetTerm &A,
                   const OffsetTerm &B, BinaryOperatorKind Op) {
    OffsetRange All = without(Value, {A.Field, B.Field});
    OffsetRange Apart{Offsets.size(B.Field), Offsets.anywhere(A.Field).High};
    widen(All, Apart, A.Factor);
    return truth(Op, All) != Truth::Depends;
  }

  /// What the sum may be in any order, apart from some terms.
  OffsetRange without(const OffsetSum &Value,
                      llvm::ArrayRef<const FieldDecl *> Some) {
    OffsetRange All{Value.Constant, Value.Constant};
    for (const OffsetTerm &Term : Value.Terms)
      if (!llvm::is_contained(Some, Term.Field))
        widen(All, Offsets.anywhere(Term.Field), Term.Factor);
    return All;
  }

  DemandTable &Demands;
  OffsetReader Offsets;
};

} // namespace

const Expr *buildAssertion(const IfStmt *If) {
  const Stmt *Then = If->getThen();
  if (const auto *Block = dyn_cast<CompoundStmt>(Then))
    Then = Block->size() == 1 ? Block->body_front() : nullptr;
  const auto *Call = dyn_cast_or_null<CallExpr>(Then);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && Callee->hasAttr<ErrorAttr>() ? If->getCond() : nullptr;
}

void addAssertion(DemandTable &Demands, const Expr *Condition) {
  if (mentionsOffset(Condition))
    AssertionReader(Demands).condition(Condition);
}

} // namespace kst
