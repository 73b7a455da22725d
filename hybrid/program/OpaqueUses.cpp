// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/OpaqueUses.h"

#include <set>

namespace kst {

static const char *inWords(OpaqueKind Kind) {
  switch (Kind) {
  case OpaqueKind::Offset:
    return "uses bytes at an offset that varies";
  case OpaqueKind::Length:
  case OpaqueKind::Rest:
    return "handles bytes by a length that varies";
  case OpaqueKind::Assembly:
    return "assembly computes an address in it";
  case OpaqueKind::Foreign:
    return "takes bytes for it that come from elsewhere";
  case OpaqueKind::Count:
    break;
  }
  return "";
}

std::vector<OpaqueUse> opaqueUses(const RuleBasis &Basis, RecordId Id) {
  if (Basis.Whole.recordFact(Id).Flags & RecUnion)
    return {};
  std::set<OpaqueUse> Found;
  for (RecordId Outer : Basis.Starts.beginningWith(Id))
    for (const OpaqueView &Seen : Basis.Pointers.opaqueViews(Outer))
      Found.insert({inWords(Seen.Kind), Seen.Where});
  return {Found.begin(), Found.end()};
}

} // namespace kst
