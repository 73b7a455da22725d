// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where one function stores pointers, and what it assigns to its own memory.

#pragma once

#include "analyzer/facts/FunctionRows.h"

namespace kst {

/// Adds the stores of one function to its rows, as of the row's block and
/// order. Keeps references to all that it is given.
class PointerStores {
public:
  PointerStores(FactsBuilder &Unit, ValueBuilder &Values, FunctionRows &Rows)
      : Unit(Unit), Values(Values), Rows(Rows) {}

  /// A scalar, if it is a pointer or goes into the function's own memory.
  void store(ValueId Address, const clang::Expr *Stored);
  void storePointers(ValueId To, const clang::Expr *From);
  void storeByAsm(const clang::GCCAsmStmt *Asm);
  /// Of a record or an array of them.
  void initialise(ValueId Object, const clang::Expr *Init);
  /// A value that the source shows no expression for.
  void add(ValueId Address, ValueId Value);

private:
  void initialisePart(ValueId Place, const clang::Expr *Value);

  FactsBuilder &Unit;
  ValueBuilder &Values;
  FunctionRows &Rows;
};

} // namespace kst
