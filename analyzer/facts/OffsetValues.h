// SPDX-License-Identifier: GPL-2.0-or-later
//
// Offsets on their way through one body: in local variables, named constants
// and results of calls.

#pragma once

#include "analyzer/facts/OffsetSum.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"

namespace kst {

/// A variable that is set several times holds all that it was set to. Sums are
/// empty where no offset comes from.
class OffsetValues {
public:
  /// What functions return; one for a unit.
  using ReturnedSums = llvm::DenseMap<const clang::FunctionDecl *, OffsetSum>;
  OffsetValues(const OffsetReader &Offsets, ReturnedSums &Returned)
      : Offsets(Offsets), Returned(Returned) {}

  bool isSet(const clang::VarDecl *Var) const { return Locals.count(Var); }
  void set(const clang::VarDecl *Var, const OffsetSum &Value);
  /// For a local pointer: the members whose address it got.
  void setAddress(const clang::VarDecl *Var, const clang::Expr *Value);

  /// What a variable holds; `enum { N = offsetof() }`, `static const size_t N`.
  OffsetSum named(const clang::ValueDecl *Named) const;
  /// What a function of one return statement, at its end, returns.
  OffsetSum returned(const clang::CallExpr *Call);
  /// The member whose address the pointer is, or once was.
  OffsetSum memberAddress(const clang::Expr *Pointer) const;

private:
  const OffsetReader &Offsets;
  ReturnedSums &Returned;
  llvm::DenseMap<const clang::VarDecl *, OffsetSum> Locals, Addresses;
};

} // namespace kst
