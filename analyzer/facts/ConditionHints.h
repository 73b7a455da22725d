// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the text of a condition says about its outcome, before the control
// flow around it is asked: likely() and unlikely() wherever they end up, error
// codes, pointers, comparisons.

#pragma once

#include "analyzer/facts/BranchHeuristics.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <optional>

namespace kst {

/// Probability that a condition is true, and how far to trust it.
struct ConditionTruth {
  enum Kind {
    Unknown,   ///< no rule applies: Probability is 0.5
    Guessed,   ///< by a rule of thumb: to be combined with other evidence
    Annotated, ///< the author says so: decides alone
  };
  double Probability = 0.5;
  Kind Strength = Unknown;
};

/// Name of the function that Call calls directly, "" for anything else.
llvm::StringRef calleeName(const clang::Expr *Call);

/// `a && b`, `a || b`, in parentheses or not.
bool isLogical(const clang::Expr *E);

/// The operand that the branch at the end of Block tests: for `a && b` first
/// `a`, then `b`. Null if the block ends in no condition.
const clang::Expr *leafCondition(const clang::CFGBlock *Block);

/// Share of a branch on the last operand of Condition, which as a whole is
/// true with probability P: operands of && and || share alike.
double lastOperand(const clang::Expr *Condition, double P);

/// The hints of one function. First all add*() calls, in the order in which
/// the blocks run, then questions.
class ConditionHints {
public:
  ConditionHints(const clang::ASTContext &Context, const FlowOptions &Options)
      : Context(Context), Options(Options) {}

  /// A call of __builtin_expect or __builtin_expect_with_probability. What it
  /// says holds also for operands of && and || in it that branch before.
  void addExpect(const clang::CallExpr *Call);
  /// `branch = arch_static_branch(...)`: a likely(branch) speaks of a key.
  void addAssignment(const clang::BinaryOperator *Assign);
  /// A loop whose condition, a logical operator, holds with probability P.
  void addLoop(const clang::Expr *Condition, double P);
  /// A branch on Leaf leads to a warning.
  void addWarning(const clang::Expr *Leaf);

  ConditionTruth ofBranch(const clang::CFGBlock *Block) const;

private:
  ConditionTruth truth(const clang::Expr *E, unsigned Depth) const;
  ConditionTruth ofCall(const clang::CallExpr *Call) const;
  ConditionTruth ofLogical(const clang::BinaryOperator *Op,
                           unsigned Depth) const;
  ConditionTruth ofComparison(const clang::BinaryOperator *Op,
                              unsigned Depth) const;
  std::optional<double> expectation(const clang::CallExpr *Call) const;
  /// The operand of `constant ? a : b` that is taken; null: who knows.
  const clang::Expr *chosen(const clang::ConditionalOperator *E) const;
  void push(const clang::Expr *E, double P, unsigned Depth);

  const clang::ASTContext &Context;
  const FlowOptions &Options;
  llvm::DenseMap<const clang::Stmt *, double> FirstOperands; ///< of && and ||
  llvm::DenseMap<const clang::VarDecl *, double> Warnings;
  llvm::SmallPtrSet<const clang::VarDecl *, 4> Keys;
};

} // namespace kst
