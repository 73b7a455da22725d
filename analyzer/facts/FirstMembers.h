// SPDX-License-Identifier: GPL-2.0-or-later
//
// Casts that rely on what a record begins with: `(struct inet_sock *)sk` is
// good only while struct inet_sock begins with a struct sock.

#ifndef KST_ANALYZER_FACTS_FIRSTMEMBERS_H
#define KST_ANALYZER_FACTS_FIRSTMEMBERS_H

#include "analyzer/facts/DemandTable.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseSet.h"

namespace kst {

/// Lives as long as one unit.
class FirstMembers {
public:
  explicit FirstMembers(DemandTable &Demands) : Demands(Demands) {}

  /// Adds the first members that the cast relies on: those that lead from one
  /// of the two records to the other, or from both to a record that both begin
  /// with. Looks through casts to void. Other casts mean nothing.
  void addCast(const clang::CastExpr *Cast);

private:
  DemandTable &Demands;
  llvm::DenseSet<
      std::pair<const clang::RecordDecl *, const clang::RecordDecl *>>
      Done;
};

} // namespace kst

#endif
