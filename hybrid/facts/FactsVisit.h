// SPDX-License-Identifier: GPL-2.0-or-later
//
// Every number in the rows of facts that names a string or a record, so that
// rows can go from the tables of one unit to others.

#pragma once

#include "hybrid/facts/Facts.h"

namespace kst {

/// Calls Text with a reference to each StrId of the row, and Record with one to
/// each number of a record that is not None. A value's kind says which of its
/// operands are meant; ParamRecords are in ValueArgs, see FunctionFact.
template <typename OnText, typename OnRecord>
void visitNames(RecordFact &R, OnText Text, OnRecord) {
  Text(R.Name);
  Text(R.File);
}

template <typename OnText, typename OnRecord>
void visitNames(FieldFact &F, OnText Text, OnRecord Record) {
  Text(F.Name);
  Text(F.TypeName);
  if (F.Embedded != None)
    Record(F.Embedded);
}

template <typename OnText, typename OnRecord>
void visitNames(GroupFact &G, OnText Text, OnRecord) {
  Text(G.Name);
}

template <typename OnText, typename OnRecord>
void visitNames(FunctionFact &F, OnText Text, OnRecord) {
  Text(F.Key);
  Text(F.Name);
  Text(F.File);
}

template <typename OnText, typename OnRecord>
void visitNames(ValueFact &V, OnText Text, OnRecord Record) {
  if (V.Kind == ValueKind::Global || V.Kind == ValueKind::Function)
    Text(V.A);
  else if (V.Kind == ValueKind::Object)
    Text(V.B);
  else if (V.Kind == ValueKind::Field || V.Kind == ValueKind::Container)
    Record(V.B);
}

template <typename OnText, typename OnRecord>
void visitNames(AccessFact &A, OnText Text, OnRecord) {
  Text(A.File);
}

template <typename OnText, typename OnRecord>
void visitNames(CallFact &C, OnText Text, OnRecord Record) {
  Text(C.Callee);
  Text(C.File);
  if (C.TableRecord != None)
    Record(C.TableRecord);
}

template <typename OnText, typename OnRecord>
void visitNames(TableFact &T, OnText Text, OnRecord Record) {
  Text(T.Function);
  if (T.Record != None)
    Record(T.Record);
}

template <typename OnText, typename OnRecord>
void visitNames(SlabFact &S, OnText Text, OnRecord Record) {
  Text(S.File);
  if (S.Record != None)
    Record(S.Record);
}

template <typename OnText, typename OnRecord>
void visitNames(VariableFact &V, OnText Text, OnRecord Record) {
  Text(V.Key);
  Text(V.File);
  if (V.Record != None)
    Record(V.Record);
}

template <typename OnText, typename OnRecord>
void visitNames(DropFact &D, OnText Text, OnRecord Record) {
  Text(D.File);
  Text(D.Function);
  if (D.Record != None)
    Record(D.Record);
}

template <typename OnText, typename OnRecord>
void visitNames(DemandFact &D, OnText Text, OnRecord Record) {
  Text(D.Function);
  Text(D.File);
  if (D.Record != None)
    Record(D.Record);
}

template <typename OnText, typename OnRecord>
void visitNames(SlotFact &S, OnText Text, OnRecord Record) {
  switch (S.Kind) {
  case SlotKind::Param:
  case SlotKind::Result:
  case SlotKind::Global:
  case SlotKind::Holder:
  case SlotKind::Opaque:
    return Text(S.A);
  case SlotKind::Record:
  case SlotKind::Member:
  case SlotKind::TableParam:
  case SlotKind::TableResult:
    return Record(S.A);
  case SlotKind::Scalar:
  case SlotKind::Byte:
  case SlotKind::Number:
  case SlotKind::Count:
    return;
  }
}

template <typename OnText, typename OnRecord>
void visitNames(PointerFlowFact &P, OnText Text, OnRecord Record) {
  visitNames(P.From, Text, Record);
  visitNames(P.To, Text, Record);
  Text(P.Function);
  Text(P.File);
}

/// Each StrId of the whole.
template <typename OnText> void visitTexts(TuFacts &F, OnText Text) {
  auto NoRecord = [](uint32_t &) {};
  auto Rows = [&](auto &Table) {
    for (auto &Row : Table)
      visitNames(Row, Text, NoRecord);
  };
  Text(F.MainFile);
  Text(F.Triple);
  Rows(F.Records);
  Rows(F.Fields);
  Rows(F.Groups);
  Rows(F.Functions);
  Rows(F.Values);
  Rows(F.Accesses);
  Rows(F.Calls);
  Rows(F.Tables);
  Rows(F.Slabs);
  Rows(F.Variables);
  Rows(F.Drops);
  Rows(F.Demands);
  Rows(F.PointerFlows);
}

} // namespace kst
