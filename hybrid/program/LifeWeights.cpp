// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/LifeWeights.h"

#include <algorithm>

namespace kst {

void weighByLives(std::vector<Visit> &Visits) {
  double Use = 0, Once = 0, Configuration = 0;
  for (const Visit &Of : Visits)
    (isOwned(Of.When)                  ? Once
     : Of.When == Phase::Configuration ? Configuration
                                       : Use) += Of.Weight;
  if (!(Use > 0))
    return;
  auto Factor = [&](double Sum) {
    return Sum > 0 ? std::min(1.0, Use / (VisitsPerLife * Sum)) : 1;
  };
  const double ForOnce = Factor(Once);
  const double ForConfiguration = Factor(Configuration);
  for (Visit &Of : Visits) {
    if (!isOwned(Of.When) && Of.When != Phase::Configuration)
      continue;
    double Times = Of.When == Phase::Configuration ? ForConfiguration : ForOnce;
    const double Known =
        std::min(1.0, Of.From.MeasuredShare + Of.From.ReferenceShare);
    Times = Known + (1 - Known) * Times;
    for (double *Part : {&Of.Weight, &Of.From.StaticWeight, &Of.From.Weight.Low,
                         &Of.From.Weight.High})
      *Part *= Times;
  }
}

} // namespace kst
