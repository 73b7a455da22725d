// SPDX-License-Identifier: GPL-2.0-or-later
//
// Code that reaches memory by something else than members, where neither a
// rule nor the compiler knows how far: `*(u32 *)((char *)p + off)`,
// `memcpy(&p->a, from, n)`, `(struct head *)packet`. The places become ends of
// pointer flows, so that the linker finds the records whose memory it is, also
// through calls.

#pragma once

#include "analyzer/facts/DemandTable.h"
#include "analyzer/facts/MeasuredNumbers.h"
#include "analyzer/facts/OffsetSum.h"
#include "analyzer/facts/PointerFlows.h"

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace kst {

/// Sees the expressions of one body in source order. A number counts as known
/// if it is measured; if it comes from a parameter, a member, a variable or a
/// call, the linker knows whether a measured one goes there.
class OpaqueUses {
public:
  OpaqueUses(FactsBuilder &Unit, PointerFlows &Flows,
             const OffsetReader &Offsets)
      : Unit(Unit), Flows(Flows), Offsets(Offsets), Numbers(Unit, Flows) {}

  /// A variable gets a value; Value null: it changes by some amount.
  void setLocal(const clang::VarDecl *Var, const clang::Expr *Value);
  void addComparison(const clang::BinaryOperator *Binary);
  /// `Pointer + Index`, `Pointer[Index]`; null: a pointer that runs. Sum: what
  /// is known of Index.
  void addStep(const clang::Expr *Pointer, const clang::Expr *Index,
               const OffsetSum &Sum, clang::SourceLocation Where);
  /// Argument Number of a call, made of Value. Held: arguments of which a rule
  /// keeps all that a length can reach.
  void addArgument(const clang::CallExpr *Call, unsigned Number,
                   const OffsetSum &Value,
                   llvm::ArrayRef<const clang::Expr *> Held);
  void addCast(const clang::CastExpr *Cast);
  /// `(u32 *)((unsigned long)p + n)`, also through variables.
  void addNumberCast(const clang::CastExpr *Cast);
  void addAsm(const clang::GCCAsmStmt *Asm);
  /// What becomes of numbers that other code gets.
  MeasuredNumbers &numbers() { return Numbers; }

  /// After the body, which is null for an initialiser.
  void finish(const clang::Stmt *Body);

private:
  struct Step {
    const clang::Expr *Pointer, *Index;
    clang::SourceLocation Where;
  };
  struct Taken {
    const clang::CastExpr *Cast;
    const clang::Expr *Bytes;
  };
  using Seen = llvm::SmallPtrSet<const clang::VarDecl *, 8>;
  using Pointers = llvm::SmallVector<const clang::Expr *, 2>;
  struct NumberTerms {
    Pointers Bases, Added;
    Seen Visited;
  };

  void bases(const clang::Expr *Pointer, bool Bytes, Pointers &Found,
             Seen &Visited) const;
  Pointers bases(const clang::Expr *Pointer) const;
  const clang::VarDecl *running(const clang::Expr *Index) const;
  void resolve(const Step &One);
  void collectTerms(const clang::Expr *Number, NumberTerms &Of) const;
  void resolveNumber(const clang::CastExpr *Cast);
  void resolveRun(const Step &One, const clang::VarDecl *Var);
  void emit(const clang::Expr *Pointer, OpaqueKind Kind,
            const clang::Stmt *Number, clang::SourceLocation Where);
  void emitByte(const clang::Expr *Pointer, int64_t Byte,
                clang::SourceLocation Where);
  SlotFact use(OpaqueKind Kind, clang::SourceLocation Where) const;
  bool isFilled(const clang::VarDecl *Buffer) const;

  FactsBuilder &Unit;
  PointerFlows &Flows;
  const OffsetReader &Offsets;
  MeasuredNumbers Numbers;
  llvm::DenseMap<const clang::VarDecl *,
                 llvm::SmallVector<const clang::Expr *, 2>>
      Bounds;
  llvm::DenseSet<const clang::VarDecl *> Changed;
  llvm::DenseSet<const clang::VarDecl *> Filled; ///< arrays of bytes
  /// What `n += x` adds.
  llvm::DenseMap<const clang::VarDecl *,
                 llvm::SmallVector<const clang::Expr *, 1>>
      Sums;
  std::vector<const clang::CastExpr *> NumberCasts;
  std::vector<Step> Steps;
  std::vector<Step> Lengths; ///< Index: the length
  std::vector<Taken> Casts;
};

} // namespace kst
