// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/DropNames.h"

#include <set>
#include <tuple>

namespace kst {

static const char *name(DropReason Reason) {
  switch (Reason) {
  case DropReason::NoBaseObject:
    return "no-base-object";
  case DropReason::NoControlFlow:
    return "no-control-flow";
  case DropReason::Count:
    break;
  }
  return "unknown";
}

std::map<std::string, uint64_t>
dropCounts(const Program &Whole, RecordId Record, const LinkDrops &Drops) {
  std::map<std::string, uint64_t> Counts;
  // A header's inline function is in many units but is one place.
  std::set<std::tuple<DropReason, StrId, uint32_t>> Seen;
  for (uint32_t Unit = 0; Unit != Whole.unitCount(); ++Unit)
    for (const DropFact &Drop : Whole.unit(Unit).Drops)
      if (Drop.Record != None && Whole.record(Unit, Drop.Record) == Record)
        if (Seen.insert({Drop.Reason, Whole.string(Unit, Drop.File), Drop.Line})
                .second)
          ++Counts[name(Drop.Reason)];
  if (Drops.WholeRecord)
    Counts["whole-record-copy"] = Drops.WholeRecord;
  return Counts;
}

} // namespace kst
