// SPDX-License-Identifier: GPL-2.0-or-later
//
// From a site in the table of one unit to one of a profile.

#ifndef KST_HYBRID_IMPORT_TABLESITE_H
#define KST_HYBRID_IMPORT_TABLESITE_H

#include "hybrid/import/CounterTable.h"
#include "hybrid/profile/ProfileBuilder.h"

#include <vector>

namespace kst {

/// Adds `From`, one of T.Sites, that ran Count times, to the profile that Make
/// builds; StructId has the profile's number of each of T.Structs. Returns the
/// site's number as Make gives it.
inline uint32_t addSite(ProfileBuilder &Make, const CounterTable &T,
                        const CounterTable::Site &From,
                        const std::vector<uint32_t> &StructId, uint64_t Count) {
  MeasuredSite S;
  if (From.Struct != NoStruct)
    S.Struct = StructId[From.Struct];
  S.Function = Make.text(T.text(T.Functions[From.Function].Name));
  S.File = Make.text(T.text(From.File));
  S.Line = From.Line;
  S.Column = From.Column;
  S.OffsetBytes = From.OffsetBytes;
  S.SizeBytes = From.SizeBytes;
  S.FirstBit = From.FirstBit;
  S.Bits = From.Bits;
  S.Kind = static_cast<SiteKind>(From.Kind);
  S.Marks = From.Marks;
  S.Count = Count;
  return Make.site(S);
}

} // namespace kst

#endif
