// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/EdgeOrigins.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kst {

namespace {

struct Meeting {
  double All = 0, Measured = 0; ///< visits with both
  double Below = 0, Above = 0;  ///< squares of how far they may be off
};

} // namespace

void describeEdges(std::vector<AffinityEdge> &Edges,
                   std::span<const CoAccessSet> Sets) {
  std::map<std::pair<uint32_t, uint32_t>, Meeting> Pairs;
  for (const AffinityEdge &Edge : Edges)
    Pairs[{Edge.A, Edge.B}];
  bool Profiles = false;
  for (const CoAccessSet &Set : Sets) {
    Profiles |= Set.From.From != Origin::Static;
    for (size_t I = 0; I != Set.Touches.size(); ++I)
      for (size_t J = I + 1; J != Set.Touches.size(); ++J) {
        auto It = Pairs.find({Set.Touches[I].Field, Set.Touches[J].Field});
        if (It == Pairs.end())
          continue;
        double P = Set.Touches[I].Probability * Set.Touches[J].Probability;
        Meeting &Of = It->second;
        Of.All += Set.Weight * P;
        Of.Measured += Set.Weight * P * Set.From.MeasuredShare;
        Of.Below += std::pow((Set.Weight - Set.From.Weight.Low) * P, 2);
        Of.Above += std::pow((Set.From.Weight.High - Set.Weight) * P, 2);
      }
  }
  for (AffinityEdge &Edge : Edges) {
    const Meeting &Of = Pairs[{Edge.A, Edge.B}];
    double Share = Of.All > 0 ? Of.Measured / Of.All : 0;
    Edge.Dynamic = Edge.Gain * Share;
    Edge.Static = Edge.Gain - Edge.Dynamic;
    // Chance takes the same share away whatever the weights.
    double Kept = Of.All > 0 ? Edge.Gain / Of.All : 0;
    if (Profiles)
      Edge.Sure = {std::max(0.0, Edge.Gain - Kept * std::sqrt(Of.Below)),
                   Edge.Gain + Kept * std::sqrt(Of.Above)};
  }
}

} // namespace kst
