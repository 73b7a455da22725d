// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/LifeTimes.h"

#include <cmath>

namespace kst {

double LifeTimes::beginOf(unsigned Bin) {
  return std::ldexp(1 + double(Bin % PerDoubling) / PerDoubling,
                    int(Bin / PerDoubling));
}

std::optional<double> LifeTimes::quantile(double Share) const {
  uint64_t AtRisk = EndedCount + LivingCount;
  double Survive = 1;
  for (unsigned B = 0; B < Bins && AtRisk; ++B) {
    Survive *= 1 - double(Ended[B]) / double(AtRisk);
    if (Ended[B] && Survive <= 1 - Share + 1e-12)
      return beginOf(B);
    AtRisk -= Ended[B] + Living[B];
  }
  return std::nullopt;
}

double LifeTimes::outliving(unsigned Bin) const {
  uint64_t AtRisk = EndedCount + LivingCount;
  double Survive = 1;
  for (unsigned B = 0; B <= Bin && AtRisk; ++B) {
    Survive *= 1 - double(Ended[B]) / double(AtRisk);
    AtRisk -= Ended[B] + Living[B];
  }
  return Survive;
}

LifeTimes &LifeTimes::operator+=(const LifeTimes &Other) {
  for (unsigned B = 0; B < Bins; ++B) {
    Ended[B] += Other.Ended[B];
    Living[B] += Other.Living[B];
  }
  EndedCount += Other.EndedCount;
  LivingCount += Other.LivingCount;
  return *this;
}

} // namespace kst
