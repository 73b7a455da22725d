// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/Visitors.h"

namespace kst {
namespace {

const double *find(const VisitorTable::Shares &Seen, const Site &Where) {
  const auto At = Seen.find(Where.File + ":" + Where.Function);
  return At == Seen.end() ? nullptr : &At->second;
}

std::optional<double> meanOf(const CoAccessSet &Set,
                             const VisitorTable::Shares &Seen, bool Headers) {
  double All = 0, Others = 0;
  for (const FieldTouch &T : Set.Touches)
    for (const AccessSite &At : T.Sites)
      if (At.Where.File.ends_with(".h") == Headers)
        if (const double *Share = find(Seen, At.Where)) {
          const double Times = At.Reads + At.Writes;
          All += Times;
          Others += Times * *Share;
        }
  if (!(All > 0))
    return std::nullopt;
  return Others / All;
}

} // namespace

void giveVisitors(AffinityEvidence &To, const VisitorTable::Shares &Seen) {
  for (CoAccessSet &Set : To.Sets) {
    if (Set.Others ||
        (Set.Cpu != CpuRelation::Unknown && Set.Cpu != CpuRelation::Chosen))
      continue;
    if (const double *Own = find(Seen, Set.Where))
      Set.Others = *Own;
    else if (auto Mean = meanOf(Set, Seen, false))
      Set.Others = Mean;
    else
      Set.Others = meanOf(Set, Seen, true);
  }
}

} // namespace kst
