// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/MissSaving.h"

#include <cmath>

namespace kst {

namespace {

struct Experience {
  double Slope, Width;
};

/// As bench/calibration.py prints them, by Basis. The last is of prices
/// before cycles (bench/runs/calibration.txt).
constexpr Experience Replayed[] = {{0.14, 0.28}, {0.19, 0.38}, {0.45, 0.49}};

} // namespace

Basis basisOf(const AffinityEvidence &Of) {
  double All = 0, Measured = 0, Reference = 0;
  for (const CoAccessSet &Set : Of.Sets) {
    All += Set.Weight;
    Measured += Set.Weight * Set.From.MeasuredShare;
    Reference += Set.Weight * Set.From.ReferenceShare;
  }
  if (Measured > All / 2 || (Of.Covered.Dynamic && !Of.Covered.Static))
    return Basis::Measured;
  return Measured + Reference > All / 2 ? Basis::Reference : Basis::Source;
}

MissSaving missSaving(double Gain, Basis From) {
  const auto [Slope, Width] = Replayed[static_cast<size_t>(From)];
  const double Middle = Slope * std::log1p(-Gain);
  return {-std::expm1(Middle + Width), -std::expm1(Middle),
          -std::expm1(Middle - Width)};
}

std::optional<MissSaving> missSaving(const Advice &Of,
                                     const AffinityEvidence &Evidence) {
  if (Of.What != Verdict::Reorder || !(Of.ObjectiveNew < Of.ObjectiveNow))
    return std::nullopt;
  return missSaving(1 - Of.ObjectiveNew / Of.ObjectiveNow, basisOf(Evidence));
}

} // namespace kst
