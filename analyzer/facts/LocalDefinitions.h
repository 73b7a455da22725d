// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the local variables of one function are set to: the reaching
// definitions in their simplest useful form, by variable and not by point.

#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace kst {

/// One place that sets a local variable.
struct LocalDefinition {
  enum Form {
    Assigned, ///< `v = Value` or an initialiser
    Bound,    ///< C++: a reference, to the place that Value names
    Added,    ///< `v += Value` (Value null for ++ and --)
    Changed,  ///< any other compound assignment
    Asm,      ///< an output of the asm statement From
  };
  Form How = Assigned;
  const clang::Expr *Value = nullptr;
  const clang::GCCAsmStmt *From = nullptr;
  unsigned Block = 0; ///< CFG block
};

struct LocalVariable {
  llvm::SmallVector<LocalDefinition, 2> Definitions;
  bool AddressTaken = false; ///< other definitions may exist
};

/// The definitions of a function by variable, those in blocks that cannot be
/// reached included: LocalDefinition::Block tells.
class LocalDefinitions {
public:
  explicit LocalDefinitions(const clang::CFG &Graph);

  /// Null for a variable that nothing sets and whose address nobody takes.
  const LocalVariable *find(const clang::VarDecl *Var) const;

private:
  void visit(const clang::Stmt *Statement, unsigned Block);
  void visitArguments(const clang::Stmt *Call);

  llvm::DenseMap<const clang::VarDecl *, LocalVariable> Variables;
};

/// The local variable or parameter that an lvalue names, through parentheses
/// and casts; null for anything else: statics, and in C++ references and what a
/// closure has captured.
const clang::VarDecl *namedLocal(const clang::Expr *Lvalue);

} // namespace kst
