// SPDX-License-Identifier: GPL-2.0-or-later
//
// From structs and sites in the table of one unit to those of a profile.

#pragma once

#include "hybrid/import/CounterTable.h"
#include "hybrid/profile/ProfileBuilder.h"

#include <vector>

namespace kst {

/// Adds the structs of a table; [row of T.Structs]: its number as Make gives
/// it.
inline std::vector<uint32_t> addStructs(ProfileBuilder &Make,
                                        const CounterTable &T) {
  std::vector<uint32_t> Numbers;
  for (const kst_table_record &S : T.Structs) {
    std::vector<MeasuredElement> Elements;
    for (uint32_t I = 0; I < S.elements; ++I)
      Elements.push_back({T.Elements[S.first_element + I].offset,
                          T.Elements[S.first_element + I].size});
    Numbers.push_back(Make.structure(T.text(S.name), S.size, Elements));
  }
  return Numbers;
}

/// Whether it stands for events of a trace that are no accesses: no site of a
/// profile.
inline bool isNoAccess(const kst_table_site &Of) {
  return Of.marks & (KST_MARK_PLACE | KST_MARK_START | KST_MARK_JOIN);
}

/// Adds `From`, one of T.Sites, that ran Count times; StructId: of
/// addStructs(). Returns the site's number as Make gives it.
inline uint32_t addSite(ProfileBuilder &Make, const CounterTable &T,
                        const kst_table_site &From,
                        const std::vector<uint32_t> &StructId, uint64_t Count) {
  MeasuredSite S;
  if (From.record != KST_NO_RECORD)
    S.Struct = StructId[From.record];
  S.Function = Make.text(T.text(T.Functions[From.function].name));
  S.File = Make.text(T.text(From.file));
  S.Line = From.line;
  S.Column = From.column;
  S.OffsetBytes = From.offset;
  S.SizeBytes = From.size;
  S.FirstBit = From.first_bit;
  S.Bits = From.bits;
  S.Kind = static_cast<SiteKind>(From.kind);
  S.Marks = From.marks;
  S.Count = Count;
  return Make.site(S);
}

} // namespace kst
