// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/affinity/LifetimeClass.h"

#include "hybrid/affinity/VisitScale.h"

namespace kst {

void turnToLives(AffinityEvidence &Of, double VisitsPerLife) {
  double Use = 0, Once = 0;
  for (const CoAccessSet &Set : Of.Sets)
    if (isOwned(Set.When))
      Once += Set.Weight;
    else if (Set.When != Phase::Configuration)
      Use += Set.Weight;
  Of.Lives.Wanted = VisitsPerLife;
  if (!(Use > 0 && Once > 0))
    return;
  Of.Lives.Before = Use / Once;
  for (CoAccessSet &Set : Of.Sets)
    if (isOwned(Set.When))
      scaleVisits(Of, Set, Of.Lives.Before / VisitsPerLife);
}

} // namespace kst
