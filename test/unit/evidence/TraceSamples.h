// SPDX-License-Identifier: GPL-2.0-or-later
//
// Traces whose structure is known, and how well a partition agrees with it.

#pragma once

#include "hybrid/evidence/Windows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <vector>

namespace kst {

class TraceSample {
public:
  explicit TraceSample(uint64_t Seed) : Random(Seed) {}

  /// Independent accesses; the k-th field is drawn with weight 1 / k^Power.
  std::vector<WindowEvent> independent(uint32_t Fields, size_t Events,
                                       double Power) {
    std::vector<double> Weights;
    for (uint32_t F = 0; F != Fields; ++F)
      Weights.push_back(std::pow(F + 1, -Power));
    std::vector<WindowEvent> Made;
    while (Made.size() < Events)
      Made.push_back(event(pick(Weights), 0));
    return Made;
  }

  /// Visits to one of several instances: the fields of a group, picked with
  /// weight 1 / k, in random order, each left out with chance Skip and doubled
  /// with chance 0.2; after a visit a random field with chance Noise.
  std::vector<WindowEvent> planted(uint32_t Groups, uint32_t PerGroup,
                                   size_t Events, double Skip, double Noise) {
    std::vector<double> Weights;
    for (uint32_t G = 0; G != Groups; ++G)
      Weights.push_back(1.0 / (G + 1));
    std::vector<WindowEvent> Made;
    while (Made.size() < Events) {
      uint32_t G = pick(Weights);
      uint64_t Instance = Random() % 4;
      std::vector<uint32_t> Fields(PerGroup);
      std::iota(Fields.begin(), Fields.end(), G * PerGroup);
      for (size_t I = Fields.size(); I > 1; --I)
        std::swap(Fields[I - 1], Fields[Random() % I]);
      for (uint32_t F : Fields) {
        if (chance(Skip))
          continue;
        Made.push_back(event(F, Instance));
        if (chance(0.2))
          Made.push_back(event(F, Instance));
      }
      if (chance(Noise))
        Made.push_back(event(Random() % (Groups * PerGroup), Instance));
    }
    return Made;
  }

private:
  bool chance(double P) { return double(Random() >> 11) * 0x1p-53 < P; }
  uint32_t pick(const std::vector<double> &Weights) {
    double Sum = std::accumulate(Weights.begin(), Weights.end(), 0.0);
    double At = double(Random() >> 11) * 0x1p-53 * Sum;
    for (uint32_t I = 0; I + 1 < Weights.size(); ++I)
      if ((At -= Weights[I]) < 0)
        return I;
    return Weights.size() - 1;
  }
  WindowEvent event(uint32_t Field, uint64_t Instance) {
    return {uint32_t(Instance % 2), Field, Instance, chance(0.3)};
  }
  std::mt19937_64 Random;
};

inline Windows windowsOf(const std::vector<WindowEvent> &Events,
                         uint32_t Fields) {
  Windows Of(Fields);
  for (const WindowEvent &E : Events)
    Of.add(E);
  Of.finish();
  return Of;
}

} // namespace kst
