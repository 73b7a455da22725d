// SPDX-License-Identifier: GPL-2.0-or-later
//
// See AffinityGraph.h for the formulas.

#include "hybrid/affinity/AffinityGraph.h"

#include "hybrid/affinity/IgraphSession.h"

#include <algorithm>

namespace kst {

AffinityGraph::AffinityGraph(const RecordInfo &Record,
                             std::span<const CoAccessSet> Sets,
                             const Conflicts &Clashes,
                             const GraphOptions &Options)
    : Opts(Options), Frequency(Record.Fields.size()),
      Together(Record.Fields.size() * Record.Fields.size()), Clashes(Clashes) {
  const size_t N = Record.Fields.size();
  for (size_t F = 0; F < N; ++F)
    Names.push_back(Record.Fields[F].Name.empty()
                        ? "(unnamed " + std::to_string(F) + ")"
                        : Record.Fields[F].Name);
  auto Use = [](const FieldTouch &T) {
    return std::clamp(T.Probability, 0.0, 1.0);
  };
  size_t Counted = 0;
  double Visits = 0;
  for (const CoAccessSet &Set : Sets) {
    if (!(Set.Weight > 0))
      continue;
    Visits += Set.Weight;
    ++Counted;
    for (const FieldTouch &A : Set.Touches) {
      if (A.Field >= N)
        continue;
      Frequency[A.Field] += Set.Weight * Use(A);
      for (const FieldTouch &B : Set.Touches)
        if (B.Field < N && B.Field != A.Field)
          Together[A.Field * N + B.Field] += Set.Weight * Use(A) * Use(B);
    }
  }
  NullVisits = Visits + (Counted ? Visits / static_cast<double>(Counted) : 1);

  double Largest = 0;
  for (uint32_t A = 0; A < N; ++A)
    for (uint32_t B = A + 1; B < N; ++B) {
      double Chance = Frequency[A] * Frequency[B] / NullVisits;
      double Gain = std::max(0.0, Together[A * N + B] - Chance);
      double Loss = Clashes.between(A, B);
      if (Gain <= 0 && Loss <= 0)
        continue;
      AffinityEdge Edge;
      Edge.A = A;
      Edge.B = B;
      Edge.Gain = Gain;
      Edge.Loss = Loss;
      Edges.push_back(Edge);
      Largest = std::max({Largest, Gain, Loss});
    }
  std::erase_if(Edges, [&](const AffinityEdge &E) {
    return std::max(E.Gain, E.Loss) < Opts.MinShare * Largest;
  });
}

} // namespace kst
