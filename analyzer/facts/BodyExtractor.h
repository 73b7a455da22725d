// SPDX-License-Identifier: GPL-2.0-or-later
//
// The walk over one function body, in both languages: FunctionExtractor.cpp has
// what C has, BodyExtractorCxx.cpp what C++ adds, and what ends a scope.

#pragma once

#include "analyzer/facts/BlockFrequency.h"
#include "analyzer/facts/FunctionExtractor.h"
#include "analyzer/facts/FunctionRows.h"
#include "analyzer/facts/LocalDefinitions.h"
#include "analyzer/facts/PointerStores.h"
#include "analyzer/facts/ValueBuilder.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace kst {

/// Walks the blocks of one body and appends what it finds to the unit's facts.
class BodyExtractor {
public:
  BodyExtractor(FactsBuilder &Unit, const clang::FunctionDecl *Function,
                const clang::CFG &Graph)
      : Unit(Unit), Function(Function), Graph(Graph), Locals(Graph),
        Flow(estimateFlow(Graph, Unit.context())),
        Values(Unit, Function, Locals, Flow), Stores(Unit, Values, Rows) {
    Values.CallIndex = [this](const clang::Expr *E) { return callIndex(E); };
  }

  void run();
  llvm::SmallVector<std::pair<const clang::Expr *, const clang::FunctionDecl *>,
                    16>
      Mentions;
  /// Called without a mention: constructors, destructors, operators new,
  /// functions that an attribute cleanup names.
  llvm::SmallVector<const clang::FunctionDecl *, 8> Entered;

private:
  /// Where C++ makes an object of a class: in one of these, or for a moment.
  struct Home {
    const clang::VarDecl *Variable = nullptr;
    const clang::FieldDecl *Member =
        nullptr; ///< of the object of the constructor
    const clang::CXXNewExpr *New = nullptr;
    bool This = false; ///< a base, or another constructor does it
  };

  void visit(const clang::Stmt *Statement);
  void visitCast(const clang::ImplicitCastExpr *Cast);
  void visitBinary(const clang::BinaryOperator *Binary);
  void visitCall(const clang::CallExpr *Call);
  void visitBuiltin(const clang::CallExpr *Call);
  void visitAsm(const clang::GCCAsmStmt *Asm);
  void visitDeclaration(const clang::DeclStmt *Decls);
  void visitReturn(const clang::ReturnStmt *Return);

  // BodyExtractorCxx.cpp
  void findHomes();
  void noteHome(const clang::Expr *Made, Home Where);
  ValueId homeOf(const clang::Expr *Made);
  ValueId memberOfThis(const clang::CXXCtorInitializer *Init);
  bool visitCxx(const clang::Stmt *Statement);
  void visitElement(const clang::CFGElement &Element);
  void visitInitializer(const clang::CXXCtorInitializer *Init);
  void visitDestructor(const clang::CFGImplicitDtor &Element);
  void visitCleanup(const clang::VarDecl *Left,
                    const clang::FunctionDecl *With);
  void visitConstruct(const clang::CXXConstructExpr *Made);
  void visitLambda(const clang::LambdaExpr *Lambda);
  void visitNew(const clang::CXXNewExpr *New);
  void visitDelete(const clang::CXXDeleteExpr *Delete);
  bool visitCopy(const clang::CallExpr *Call);
  void mentionVirtuals();
  uint32_t newIndex(const clang::CXXNewExpr *New);
  void addCall(const clang::FunctionDecl *Callee, ValueId Object,
               llvm::ArrayRef<const clang::Expr *> Args,
               clang::SourceLocation Where);
  void addArgument(CallFact &Call, std::vector<uint32_t> &Args,
                   const clang::Expr *Arg, bool Printed);
  void addCopied(CallFact &Call, std::vector<uint32_t> &Args,
                 const clang::Expr *Arg);
  uint32_t sizeOf(clang::QualType Type) const;

  void access(const clang::Expr *Lvalue, AccessForm Kind,
              clang::SourceLocation Where, uint32_t Qualifiers = 0);
  /// Named: whose column is the access'; invalid: that of Where.
  void accessAt(ValueId Address, AccessForm Kind, clang::SourceLocation Where,
                uint32_t Qualifiers, uint32_t SizeBytes,
                clang::SourceLocation Named = {});
  uint32_t constantLength(const clang::Expr *Length) const;
  ValueId firstMember(ValueId Address, const clang::Expr *Pointer,
                      uint32_t SizeBytes);
  void findUnevaluated(const clang::Stmt *Statement);
  uint32_t callIndex(const clang::Expr *Call);
  bool repeatsRead(const AccessFact &Access);
  void addMentions();

  FactsBuilder &Unit;
  const clang::FunctionDecl *Function;
  const clang::CFG &Graph;
  LocalDefinitions Locals;
  FlowEstimate Flow;
  ValueBuilder Values;
  FunctionRows Rows;
  PointerStores Stores;
  llvm::DenseMap<const clang::Expr *, uint32_t> CallIndices;
  llvm::DenseMap<const clang::Expr *, Home> Homes;
  llvm::DenseMap<ValueId, unsigned> SeenInBlock; ///< 1 read, 2 written
  llvm::SmallPtrSet<const clang::Expr *, 32>
      Callees; ///< mentions that are calls
  llvm::SmallPtrSet<const clang::Stmt *, 16> Unevaluated;
};

} // namespace kst
