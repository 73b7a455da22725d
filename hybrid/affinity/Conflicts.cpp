// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/affinity/Conflicts.h"

#include <algorithm>

namespace kst {

Conflicts::Conflicts(uint32_t FieldCount, std::span<const CoAccessSet> Sets,
                     const SharingOptions &Options)
    : Count(FieldCount), Pairs(Count * Count) {
  // Of each field alone, and of each pair what one visit does to both.
  std::vector<LineUse> Alone = contention(FieldCount, Sets, Options);
  std::vector<LineUse> Both(Count * Count);
  double Visits = 0;
  for (const CoAccessSet &Set : Sets) {
    const GroupVisits Meeting = meetingVisits(Set, Options);
    Visits += Meeting.Owner + Meeting.Others;
    for (const FieldTouch &A : Set.Touches) {
      if (A.Field >= Count)
        continue;
      const double Use = std::clamp(A.Probability, 0.0, 1.0);
      const double Write = writeChance(A);
      Alone[A.Field].add(Meeting, Use, Write);
      for (const FieldTouch &B : Set.Touches)
        if (B.Field < Count && B.Field > A.Field)
          Both[A.Field * Count + B.Field].add(
              Meeting, Use * std::clamp(B.Probability, 0.0, 1.0),
              Write * writeChance(B));
    }
  }
  // Sums and differences of the same visits leave rounding dust; a conflict
  // below this share of all visits is none.
  const double Dust = 1e-12 * Visits;
  auto Lost = [&](const LineUse &Line) { return lostVisits(Line, Options); };
  for (uint32_t F = 0; F < Count; ++F)
    for (uint32_t H = F + 1; H < Count; ++H) {
      const double More = Lost(Alone[F] + Alone[H] - Both[F * Count + H]) -
                          Lost(Alone[F]) - Lost(Alone[H]);
      if (More > Dust)
        Pairs[F * Count + H] = Pairs[H * Count + F] = More;
    }
  list();
}

void Conflicts::list() {
  Lists.assign(Count, {});
  for (uint32_t F = 0; F < Count; ++F)
    for (uint32_t H = 0; H < Count; ++H)
      if (double More = between(F, H); More > 0)
        Lists[F].push_back({H, More});
}

Conflicts mean(std::span<const Conflicts> Cases) {
  Conflicts All = Cases.front();
  for (size_t I = 0; I < All.Pairs.size(); ++I) {
    double Sum = 0;
    for (const Conflicts &Case : Cases)
      Sum += Case.Pairs[I];
    All.Pairs[I] = Sum / static_cast<double>(Cases.size());
  }
  All.list();
  return All;
}

} // namespace kst
