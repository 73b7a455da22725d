// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/affinity/VisitScale.h"

#include <algorithm>
#include <utility>

namespace kst {

/// What further visits of the set add to its fields.
static void addUses(AffinityEvidence &Of, const CoAccessSet &Set,
                    double Visits) {
  for (const FieldTouch &T : Set.Touches) {
    FieldUse &Use = Of.Fields[T.Field];
    const double Before = Use.total();
    const double Remote = Set.Cpu == CpuRelation::Remote ? Visits : 0;
    for (auto [Sum, More] : {std::pair{&Use.Reads, Visits * T.Reads},
                             {&Use.Writes, Visits * T.Writes},
                             {&Use.RemoteReads, Remote * T.Reads},
                             {&Use.RemoteWrites, Remote * T.Writes}})
      *Sum = std::max(0.0, *Sum + More);
    Use.Lockless = std::clamp(Use.Lockless + Visits * (T.Reads + T.Writes) *
                                                 T.LocklessShare,
                              0.0, Use.total());
    Use.Lock = std::min(Use.Lock, Use.total());
    if (T.Field < Of.Origins.size() && Before > 0) {
      Interval &Uses = Of.Origins[T.Field].Uses;
      Uses.Low *= Use.total() / Before;
      Uses.High *= Use.total() / Before;
    }
  }
}

void scaleVisits(AffinityEvidence &Of, CoAccessSet &Set, double Factor) {
  addUses(Of, Set, (Factor - 1) * Set.Weight);
  Set.Weight *= Factor;
  Set.From.StaticWeight *= Factor;
  Set.From.Weight.Low *= Factor;
  Set.From.Weight.High *= Factor;
}

} // namespace kst
