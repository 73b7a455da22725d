// SPDX-License-Identifier: GPL-2.0-or-later
//
// Turns C expressions of one function into the little value language of
// hybrid/facts/Facts.h: which instance does this pointer denote?

#pragma once

#include "analyzer/facts/BlockFrequency.h"
#include "analyzer/facts/FactsBuilder.h"
#include "analyzer/facts/LocalDefinitions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <tuple>

namespace kst {

/// Builds the values of one function; ValueIds are relative to the function's
/// first value. The structure of the kernel's macros is followed, not their
/// names: an asm that ties an input to its output forwards it, an address plus
/// something is the per-CPU instance when the address lies in a per-CPU
/// section, and `pointer - offsetof()` is container_of.
class ValueBuilder {
public:
  ValueBuilder(FactsBuilder &Unit, const clang::FunctionDecl *Function,
               const LocalDefinitions &Locals, const FlowEstimate &Flow);

  /// The value of an expression.
  ValueId rvalue(const clang::Expr *E) {
    return once(Rvalues, E, &ValueBuilder::computeRvalue);
  }
  /// The address of an lvalue.
  ValueId address(const clang::Expr *E) {
    return once(Addresses, E, &ValueBuilder::computeAddress);
  }
  ValueId function(const clang::FunctionDecl *Fn) {
    return make(ValueKind::Function, Unit.functionKey(Fn));
  }
  /// What an lvalue holds.
  ValueId load(const clang::Expr *Lvalue);
  /// What the memory at an address holds.
  ValueId loadFrom(ValueId Address);
  /// The member `Number` of the record at Base.
  ValueId field(ValueId Base, const clang::FieldDecl *Member);
  /// The value of a local variable in front of Asm, which changes it.
  ValueId before(const clang::VarDecl *Var, const clang::GCCAsmStmt *Asm);
  /// The address of a local variable.
  ValueId object(const clang::VarDecl *Var);
  /// The address of what a C++ expression makes for a short time.
  ValueId temporary(const clang::Expr *Made) { return memory(Made); }
  /// The address of any variable; what a reference leads to.
  ValueId variableAddress(const clang::VarDecl *Var);
  /// The object of the C++ method.
  ValueId thisObject() { return make(ValueKind::Param, 0); }

  /// Called with a call (or `new`) whose result a value needs; returns the
  /// index of the call among the function's calls.
  std::function<uint32_t(const clang::Expr *)> CallIndex;

  /// The CFG block whose statements are looked at: a parameter is what was
  /// passed unless this block sets it, or one that leads here.
  uint32_t Block = 0;

  ValueId constant(uint64_t Number);
  /// `Of`: what the array holds.
  ValueId element(ValueId Array, ValueId Index, clang::QualType Of);
  /// `array[index]`, or `pointer + index`.
  ValueId element(ValueId Array, const clang::Expr *Index, clang::QualType Of);

  const ValueFact &operator[](ValueId Id) const { return Values[Id]; }
  /// Base of an address: what is left without fields and elements.
  ValueId root(ValueId Id) const;
  /// Stack memory of this call: no other instance, nothing to lay out.
  bool isOwnMemory(ValueId Address) const {
    return Values[root(Address)].Kind == ValueKind::Object;
  }

  std::vector<ValueFact> Values;
  std::vector<uint32_t> Args; ///< of Local and Choice, relative ranges

private:
  ValueId make(ValueKind Kind, uint32_t A = 0, uint32_t B = 0, uint32_t C = 0);
  ValueId makeWithArgs(ValueKind Kind, uint32_t A, uint32_t B,
                       llvm::ArrayRef<uint32_t> Of);
  ValueId unknown() { return make(ValueKind::Unknown, Serial++); }

  ValueId memory(const void *Of, llvm::StringRef Name = {});
  ValueId cxxRvalue(const clang::Expr *E);
  ValueId cxxAddress(const clang::Expr *E);
  ValueId captured(const clang::ValueDecl *Var);
  ValueId capturedThis();

  using ValueOfExpr = llvm::DenseMap<const clang::Expr *, ValueId>;
  /// Computes each expression once, and none that is nested too deeply.
  ValueId once(ValueOfExpr &Found, const clang::Expr *E,
               ValueId (ValueBuilder::*Compute)(const clang::Expr *));
  ValueId computeRvalue(const clang::Expr *E);
  ValueId computeAddress(const clang::Expr *E);
  ValueId variable(const clang::VarDecl *Var);
  ValueId computeVariable(const clang::VarDecl *Var);
  ValueId valueOf(const LocalDefinition &Definition);
  bool isSetBefore(const clang::VarDecl *Var, const LocalVariable &Local);
  bool isSetByAddress(const clang::VarDecl *Var,
                      llvm::ArrayRef<LocalDefinition> Definitions) const;
  ValueId asmOutput(const clang::GCCAsmStmt *From);
  ValueId cast(const clang::CastExpr *E);
  ValueId unary(const clang::UnaryOperator *E);
  ValueId binary(const clang::BinaryOperator *E);
  ValueId call(const clang::CallExpr *E);
  ValueId sum(ValueId Left, ValueId Right);
  ValueId choice(llvm::ArrayRef<uint32_t> Of);
  ValueId elementBy(ValueId Array, ValueId Index, uint64_t Times,
                    clang::QualType Of);
  ValueId memberAt(ValueId Base, const clang::OffsetOfExpr *Offset);
  ValueId containerOf(ValueId Member, const clang::OffsetOfExpr *Offset);
  /// The CPU in `__per_cpu_offset[cpu]` and its relatives, or None.
  ValueId cpuOfOffset(ValueId Offset) const;
  bool isPerCpuAddress(ValueId Address) const;

  FactsBuilder &Unit;
  const LocalDefinitions &Locals;
  const FlowEstimate &Flow;
  std::map<std::tuple<ValueKind, uint32_t, uint32_t, uint32_t>, ValueId> Known;
  ValueOfExpr Rvalues, Addresses;
  llvm::DenseMap<const clang::VarDecl *, ValueId> Variables;
  llvm::DenseMap<const void *, ValueId> Objects;
  /// Of a closure's body: the members that hold what it has captured.
  llvm::DenseMap<const clang::ValueDecl *, clang::FieldDecl *> Captures;
  clang::FieldDecl *ThisCapture = nullptr;
  bool InClosure = false;
  /// By variable, the blocks that follow one which sets it, and these.
  llvm::DenseMap<const clang::VarDecl *, std::vector<bool>> SetBefore;
  uint32_t Serial = 0;
  unsigned Depth = 0;
};

} // namespace kst
