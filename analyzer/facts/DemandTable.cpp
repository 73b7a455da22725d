// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/DemandTable.h"

#include "analyzer/facts/AnonymousStructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kst {

void DemandTable::setFunction(const FunctionDecl *Fn) { Function = Fn; }

void DemandTable::add(DemandKind Kind, const FieldDecl *Field,
                      SourceLocation Where, uint32_t Other) {
  add(Kind, ownerOf(Field), numberOf(Field), Other, Where);
}

void DemandTable::add(DemandKind Kind, const RecordDecl *Record, uint32_t Field,
                      uint32_t Other, SourceLocation Where) {
  if (Record->isUnion() || fieldsOf(Record).size() == 1)
    return;
  uint32_t Index = Unit.record(Record);
  if (Index == None || !Seen.insert({uint64_t(Kind) << 32 | Index,
                                     uint64_t(Field) << 32 | Other})
                            .second)
    return;
  DemandFact Fact;
  Fact.Kind = Kind;
  Fact.Record = Index;
  Fact.Field = Field;
  Fact.Other = Other;
  if (Function)
    Fact.Function = Unit.functionName(Function);
  std::tie(Fact.File, Fact.Line) = Unit.place(Where);
  Unit.Facts.Demands.push_back(Fact);
}

} // namespace kst
