// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pointers to a member, or to a record, that are used as pointers to something
// larger or to a row of numbers: `*(u64 *)&p->a`, `u64 *d = &p->rx; d[i]`,
// `sum((u32 *)p, n)`.

#pragma once

#include "analyzer/facts/DemandTable.h"
#include "analyzer/facts/OffsetSum.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace kst {

/// Whether a function moves pointer parameters, by parameter. Looks at the body
/// of the function alone. One for a unit.
class SteppedParams {
public:
  /// False without a body.
  bool isStepped(const clang::FunctionDecl *Function, unsigned Number);

private:
  llvm::DenseMap<const clang::FunctionDecl *, llvm::SmallVector<bool, 4>> Known;
};

/// Sees the expressions of one body in source order and adds the members that
/// such pointers reach. A local variable is what it was ever set to.
class PointerViews {
public:
  PointerViews(DemandTable &Demands, const OffsetReader &Offsets,
               SteppedParams &Stepped)
      : Demands(Demands), Offsets(Offsets), Stepped(Stepped) {}

  /// A cast of a pointer: the members that what it points to then covers. A
  /// member that is itself a record is not looked at: it may begin the larger
  /// one.
  void addCast(const clang::CastExpr *Cast);
  void setLocal(const clang::VarDecl *Var, const clang::Expr *Value);
  /// A local variable moves by Index elements; null: by an unknown number.
  void addStep(const clang::Expr *Pointer, const clang::Expr *Index,
               clang::SourceLocation Where);
  /// `*Pointer` of a local variable.
  void addDereference(const clang::Expr *Pointer, clang::SourceLocation Where);
  /// `m += sizeof(struct head)`, `m + sizeof(struct head)`.
  void addSkip(const clang::Expr *Pointer, const clang::Expr *Bytes,
               clang::SourceLocation Where);
  /// After the body: memory that is taken for a record, and of which only the
  /// record that this begins with is skipped, holds no more than that.
  void addParts();
  /// Arguments that a called function takes for numbers. Gives those of which
  /// all members are held that a row of unknown length can reach.
  llvm::SmallVector<const clang::Expr *, 1>
  addArguments(const clang::CallExpr *Call);

private:
  /// A pointer to numbers of some bytes, at a member or the start of a record.
  struct View {
    const clang::FieldDecl *Member = nullptr;
    const clang::RecordDecl *Record = nullptr;
    int64_t Bytes = 0;
    bool operator==(const View &) const = default;
  };
  using Seen = llvm::SmallVector<View, 1>;

  Seen views(const clang::Expr *Pointer) const;
  struct Counting {
    bool Counted = false, Constant = false;
    int64_t Count = 0; ///< elements
  };
  Counting counting(const clang::CallExpr *Call, unsigned Number) const;

  DemandTable &Demands;
  const OffsetReader &Offsets;
  SteppedParams &Stepped;
  llvm::DenseMap<const clang::VarDecl *, Seen> Locals;
  struct Memory {
    llvm::SmallVector<const clang::RecordDecl *, 1> TakenFor;
    llvm::SmallVector<
        std::pair<const clang::RecordDecl *, clang::SourceLocation>, 1>
        Skipped;
  };
  llvm::MapVector<const clang::VarDecl *, Memory> Memories;
};

} // namespace kst
