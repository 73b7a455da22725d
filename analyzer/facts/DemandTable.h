// SPDX-License-Identifier: GPL-2.0-or-later
//
// The demands of one unit under construction: each said once, with the first
// place that makes it.

#pragma once

#include "analyzer/facts/FactsBuilder.h"

#include "llvm/ADT/DenseSet.h"

namespace kst {

class DemandTable {
public:
  explicit DemandTable(FactsBuilder &Unit) : Unit(Unit) {}

  FactsBuilder &unit() { return Unit; }
  /// The function that later demands are made in; null: file scope.
  void setFunction(const clang::FunctionDecl *Function);

  /// Field is not null. Says nothing of a union or of a record of one field.
  void add(DemandKind Kind, const clang::FieldDecl *Field,
           clang::SourceLocation Where, uint32_t Other = None);
  /// The same with a field that may be None.
  void add(DemandKind Kind, const clang::RecordDecl *Record, uint32_t Field,
           uint32_t Other, clang::SourceLocation Where);

private:
  FactsBuilder &Unit;
  const clang::FunctionDecl *Function = nullptr;
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> Seen;
};

} // namespace kst
