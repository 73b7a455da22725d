// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/link/LifeWeights.h"

#include <algorithm>

namespace kst {

void weighByLives(std::vector<Visit> &Visits) {
  double Steady = 0, Owned = 0, Configuration = 0;
  for (const Visit &Of : Visits)
    (isOwned(Of.When)                    ? Owned
     : Of.When == Phase::Configuration ? Configuration
                                         : Steady) += Of.Weight;
  if (!(Steady > 0))
    return;
  auto Factor = [&](double Sum) {
    return Sum > 0 ? std::min(1.0, Steady / (VisitsPerLife * Sum)) : 1;
  };
  const double ForOwned = Factor(Owned);
  const double ForConfiguration = Factor(Configuration);
  for (Visit &Of : Visits) {
    if (Of.When == Phase::Steady)
      continue;
    double Times = isOwned(Of.When) ? ForOwned : ForConfiguration;
    double Measured = Of.From.MeasuredShare;
    Times = Measured + (1 - Measured) * Times;
    for (double *Part : {&Of.Weight, &Of.From.StaticWeight,
                         &Of.From.Weight.Low, &Of.From.Weight.High})
      *Part *= Times;
  }
}

} // namespace kst
