// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where pointers to records go when their type is forgotten on the way: casts
// between records, and every `void *` (or bytes, or a number) in between. The
// linker joins them to conversions from one record to another.

#pragma once

#include "analyzer/facts/FactsBuilder.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <tuple>

namespace kst {

/// Adds the flows of one unit to its facts, each once. A value without a record
/// type is followed through parentheses, casts, both arms of a condition, and
/// the local variables of its function; sums of pointers end it. What a pointer
/// to pointers leads to counts as the pointer itself. A call that gets
/// functions may call them with any untyped pointer that it gets.
class PointerFlows {
public:
  explicit PointerFlows(FactsBuilder &Unit) : Unit(Unit) {}

  /// Statements between these two belong to the function.
  void beginFunction(const clang::FunctionDecl *Function);
  void endFunction();

  /// A cast to a pointer.
  void addCast(const clang::CastExpr *Cast);
  void addCall(const clang::CallExpr *Call);
  void addReturn(const clang::Expr *Value);
  void addAssignment(const clang::Expr *To, const clang::Expr *Value);
  void addVariable(const clang::VarDecl *Variable);
  /// What the function of an attribute cleanup gets.
  void addCleanup(const clang::VarDecl *Variable);
  void addMember(const clang::FieldDecl *Field, const clang::Expr *Value);

  /// The pointer goes to an end of all flows; false if it can come from
  /// nowhere.
  bool addUse(const clang::Expr *Pointer, const SlotFact &End,
              clang::SourceLocation Where);
  /// From one slot to another.
  void addNumber(const SlotFact &From, const SlotFact &To,
                 clang::SourceLocation Where);

private:
  /// SlotKind::Count: a local variable by its number, A.
  using Slot = std::tuple<SlotKind, uint32_t, uint32_t, uint32_t>;
  using Slots = llvm::SmallVector<Slot, 4>;

  /// Any pointer to the record, which is complete.
  Slot slotOf(const clang::RecordDecl *Record) const {
    return {SlotKind::Record, Unit.record(Record->getDefinition()), 0, 0};
  }
  bool mayForget(clang::QualType Type, const clang::Expr *Value) const;
  void collect(const clang::Expr *E, Slots &Found, unsigned Depth = 0);
  void collectUnary(const clang::UnaryOperator *Unary, Slots &Found,
                    unsigned Depth);
  void collectVariable(const clang::ValueDecl *Named, Slots &Found);
  void collectCall(const clang::CallExpr *Call, Slots &Found, unsigned Depth);
  Slots slots(const clang::Expr *E) {
    Slots Found;
    collect(E, Found);
    return Found;
  }
  void addCopy(const clang::CallExpr *Call);
  void addHeld(const clang::ValueDecl *Holder, const clang::Expr *Functions);
  void addHolderCall(const clang::CallExpr *Call);
  void addFunctionCast(const clang::CastExpr *Cast);
  void addCallbacks(const clang::CallExpr *Call,
                    const clang::FunctionProtoType *Prototype);
  void flow(const Slots &From, const Slots &To, clang::SourceLocation Where);
  void add(Slot From, Slot To, clang::SourceLocation Where);
  void emit(Slot From, Slot To, clang::SourceLocation Where);

  FactsBuilder &Unit;
  const clang::FunctionDecl *Function = nullptr;
  struct LocalFlow {
    Slot From, To;
    clang::SourceLocation Where;
  };
  std::vector<LocalFlow> ThroughLocals;
  llvm::DenseMap<const clang::VarDecl *, uint32_t> Locals;
  llvm::DenseSet<
      std::pair<std::pair<uint64_t, uint64_t>, std::pair<uint64_t, uint64_t>>>
      Seen;
};

} // namespace kst
