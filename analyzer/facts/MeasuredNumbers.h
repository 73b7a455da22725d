// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sizes and offsets that the compiler computes, and where they go: through
// variables, calls, members and tables. The linker follows them over units.

#pragma once

#include "analyzer/facts/PointerFlows.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace kst {

/// Whether a size of records, an offset or the distance of a member is a part
/// of a number: the compiler computes it anew for another order.
bool isMeasured(const clang::Stmt *Number);

/// Sees the numbers of one body in source order.
class MeasuredNumbers {
public:
  using Slots = llvm::SmallVector<SlotFact, 4>;

  MeasuredNumbers(FactsBuilder &Unit, PointerFlows &Flows)
      : Unit(Unit), Flows(Flows) {}

  void setLocal(const clang::VarDecl *Var, const clang::Expr *Value);
  /// All that a local variable is set to.
  llvm::ArrayRef<const clang::Expr *> values(const clang::VarDecl *Var) const;

  /// A call gets a number of this kind; none: what it comes from says.
  void addArgument(const clang::CallExpr *Call, unsigned Number,
                   std::optional<NumberKind> Kind);
  /// A number is stored: a member, or a variable outside of functions.
  void addMember(const clang::FieldDecl *Field, const clang::Expr *Value);
  void addVariable(const clang::VarDecl *Var);
  /// After the body.
  void finish();

  /// The same through local variables. From: the parameters, members,
  /// variables and results that a number comes from which is not measured.
  bool isMeasured(const clang::Stmt *Number, Slots &From) const;

private:
  using Seen = llvm::SmallPtrSet<const clang::VarDecl *, 8>;
  bool sources(const clang::Stmt *Number, Slots &Found, Seen &Visited) const;
  std::optional<SlotFact> parameter(const clang::CallExpr *Call,
                                    unsigned Number) const;

  FactsBuilder &Unit;
  PointerFlows &Flows;
  llvm::DenseMap<const clang::VarDecl *,
                 llvm::SmallVector<const clang::Expr *, 2>>
      Values;
  std::vector<std::pair<const clang::Expr *, SlotFact>> Passed;
};

} // namespace kst
