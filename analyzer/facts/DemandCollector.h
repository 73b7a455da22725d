// SPDX-License-Identifier: GPL-2.0-or-later
//
// What one body or initialiser demands of the order of fields.

#pragma once

#include "analyzer/facts/OffsetValues.h"
#include "analyzer/facts/OpaqueUses.h"
#include "analyzer/facts/PointerFlows.h"
#include "analyzer/facts/PointerViews.h"

#include "clang/AST/Stmt.h"

namespace kst {

/// Walks one body or initialiser.
class DemandCollector {
public:
  DemandCollector(DemandTable &Demands, PointerFlows &Flows,
                  OffsetValues::ReturnedSums &Returned, SteppedParams &Stepped)
      : Demands(Demands), Flows(Flows), Offsets(Demands.unit().context()),
        Values(Offsets, Returned), Views(Demands, Offsets, Stepped),
        Opaque(Demands.unit(), Flows, Offsets) {}

  /// What the integer value of an expression is made of; empty for most.
  OffsetSum visit(const clang::Stmt *S);
  /// Of a constructor.
  void visitInitializer(const clang::CXXCtorInitializer *Init);
  /// After the body, null for an initialiser: what only all of it tells.
  void finish(const clang::Stmt *Body);

private:
  /// A use of an offset that counts only if nothing pairs with it.
  struct Comparison {
    const clang::FieldDecl *Field;
    int64_t Constant; ///< 0: the field's start; its size: its end
    clang::SourceLocation Where;
    bool Label; ///< of a case: no demand by itself
  };

  OffsetSum visitCast(const clang::CastExpr *Cast);
  OffsetSum visitBinary(const clang::BinaryOperator *Binary);
  OffsetSum visitArithmetic(const clang::BinaryOperator *Binary);
  OffsetSum visitPointerDifference(const clang::BinaryOperator *Binary);
  void visitComparison(const clang::BinaryOperator *Binary);
  OffsetSum visitCall(const clang::CallExpr *Call);
  void visitStep(const clang::Expr *Pointer, const clang::Expr *Index,
                 clang::SourceLocation Where);
  OffsetSum visitBlock(const clang::StmtExpr *Block);
  OffsetSum visitSizeOf(const clang::UnaryExprOrTypeTraitExpr *E);
  void visitDeclarations(const clang::DeclStmt *Decls);
  void visitCase(const clang::CaseStmt *Case);
  void visitUnary(const clang::UnaryOperator *Unary);
  template <typename Branching> void visitBranches(const Branching *S);
  void visitAsm(const clang::GCCAsmStmt *Asm);
  void visitList(const clang::InitListExpr *List, bool AroundUnnamed);
  void visitChildren(const clang::Stmt *S);

  void setAddress(const clang::VarDecl *Var, const clang::Expr *Value) {
    Views.setLocal(Var, Value);
    Opaque.setLocal(Var, Value);
    Values.setAddress(Var, Value);
  }
  void visitPointerComparison(const clang::BinaryOperator *Binary);
  void addDistances(const OffsetSum &Left, const OffsetSum &Right,
                    clang::SourceLocation Where);
  void addOverruns(const OffsetSum &Left, const OffsetSum &Right,
                   clang::SourceLocation Where);
  void addFor(const OffsetSum &Sum, DemandKind Kind,
              clang::SourceLocation Where) {
    for (const OffsetTerm &Term : Sum.Terms)
      Demands.add(Kind, Term.Field, Where);
  }

  DemandTable &Demands;
  PointerFlows &Flows;
  OffsetReader Offsets;
  OffsetValues Values;
  std::vector<Comparison> Comparisons;
  PointerViews Views;
  OpaqueUses Opaque;
  unsigned ToPointer = 0; ///< inside a number that becomes a pointer
  unsigned Dead = 0;      ///< inside a branch that a constant closes
};

} // namespace kst
