// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/link/LifeWeights.h"

#include <algorithm>

namespace kst {

void weighByLives(std::vector<Visit> &Visits) {
  double Steady = 0, Once = 0, Configuration = 0;
  for (const Visit &Of : Visits)
    (Of.When == Phase::Steady          ? Steady
     : Of.When == Phase::Configuration ? Configuration
                                       : Once) += Of.Weight;
  if (!(Steady > 0))
    return;
  auto Factor = [&](double Sum) {
    return Sum > 0 ? std::min(1.0, Steady / (VisitsPerLife * Sum)) : 1;
  };
  const double ForOnce = Factor(Once);
  const double ForConfiguration = Factor(Configuration);
  for (Visit &Of : Visits) {
    if (Of.When == Phase::Steady)
      continue;
    double Times =
        Of.When == Phase::Configuration ? ForConfiguration : ForOnce;
    double Measured = Of.From.MeasuredShare;
    Times = Measured + (1 - Measured) * Times;
    for (double *Part : {&Of.Weight, &Of.From.StaticWeight,
                         &Of.From.Weight.Low, &Of.From.Weight.High})
      *Part *= Times;
  }
}

} // namespace kst
