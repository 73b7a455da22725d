// SPDX-License-Identifier: GPL-2.0-or-later
//
// See Conflicts.h for the derivation; names here follow it.

#include "hybrid/affinity/Conflicts.h"

#include <algorithm>

namespace kst {

namespace {

/// Visits of one group of CPUs: per field and per pair of fields.
struct GroupVisits {
  GroupVisits(size_t N, double FieldsPerLine)
      : N(N), FieldsPerLine(FieldsPerLine), Write(N), WriteBoth(N * N), Use(N),
        UseGivenWriter(N * N) {}

  void add(const CoAccessSet &Set, double Weight) {
    if (Weight <= 0)
      return;
    double Fields = 0;
    for (const FieldTouch &T : Set.Touches)
      if (T.Field < N)
        Fields += use(T);
    // A field outside of the set leaves it all of its fields.
    const double Apart = share(Fields);
    for (const FieldTouch &A : Set.Touches) {
      if (A.Field >= N)
        continue;
      double P = use(A), Pw = write(A);
      Use[A.Field] += Weight * P * Apart;
      Write[A.Field] += Weight * Pw;
      for (const FieldTouch &B : Set.Touches) {
        if (B.Field >= N)
          continue;
        WriteBoth[A.Field * N + B.Field] += Weight * Pw * write(B);
        // What use of B, given that A is the writer, differs from Use[B].
        UseGivenWriter[A.Field * N + B.Field] +=
            Weight * use(B) * ((1 - P) * share(Fields - P) - Apart);
      }
    }
  }

  /// W_r(F).
  double writes(size_t F) const { return Write[F]; }
  /// W_r(F|H) and V_r(H|F).
  double writes(size_t F, size_t H) const {
    return std::max(0.0, Write[F] - WriteBoth[F * N + H]);
  }
  double uses(size_t H, size_t F) const {
    return std::max(0.0, Use[H] + UseGivenWriter[F * N + H]);
  }

private:
  double share(double Fields) const {
    return 1 / std::clamp(Fields, 1.0, FieldsPerLine);
  }
  static double use(const FieldTouch &T) {
    return std::clamp(T.Probability, 0.0, 1.0);
  }
  static double write(const FieldTouch &T) {
    return std::min(use(T), std::max(0.0, T.Writes));
  }

  size_t N;
  double FieldsPerLine;
  std::vector<double> Write, WriteBoth, Use, UseGivenWriter;
};

/// Of Writes and Uses in random order: uses that come after a write.
double meetings(double Writes, double Uses) {
  double Both = Writes + Uses;
  return Both > 0 ? Writes * Uses / Both : 0;
}

/// Misses that Writes of a neighbour add to those that the used field's Own
/// writes cause anyway.
double added(double Writes, double Own, double Uses) {
  return meetings(Own + Writes, Uses) - meetings(Own, Uses);
}

} // namespace

Conflicts::Conflicts(uint32_t FieldCount)
    : Count(FieldCount), Pairs(Count * Count), Lists(Count) {}

Conflicts::Conflicts(uint32_t FieldCount, std::span<const CoAccessSet> Sets,
                     const ConflictOptions &Options)
    : Conflicts(FieldCount) {
  const double PerLine = std::max(1.0, Options.FieldsPerLine);
  GroupVisits Local(Count, PerLine), Remote(Count, PerLine);
  for (const CoAccessSet &Set : Sets) {
    const double Weight = Set.Weight * Set.Shared;
    double Share = Set.Cpu == CpuRelation::Local ? 0.0
                   : Set.Cpu == CpuRelation::Remote
                       ? 1.0
                       : Options.UnknownRemoteShare;
    Local.add(Set, Weight * (1 - Share));
    Remote.add(Set, Weight * Share);
  }

  auto Misses = [&](size_t F, size_t H) {
    double WL = Local.writes(F, H), WR = Remote.writes(F, H);
    double VL = Local.uses(H, F), VR = Remote.uses(H, F);
    double OwnL = Local.writes(H), OwnR = Remote.writes(H);
    double Rho = Options.RemotePairShare;
    return added(WL + Rho * WR, OwnL + Rho * OwnR, VR) + added(WR, OwnR, VL);
  };
  // Sums and differences of the same visits leave rounding dust; a conflict
  // below this share of all visits is none.
  double Visits = 0;
  for (const CoAccessSet &Set : Sets)
    Visits += std::max(0.0, Set.Weight);
  const double Dust = 1e-12 * Visits;
  for (size_t F = 0; F < Count; ++F)
    for (size_t H = F + 1; H < Count; ++H) {
      double Both = Misses(F, H) + Misses(H, F);
      if (Both <= Dust)
        continue;
      Pairs[F * Count + H] = Pairs[H * Count + F] = Both;
    }
  for (size_t F = 0; F < Count; ++F)
    for (size_t H = 0; H < Count; ++H)
      if (double Both = Pairs[F * Count + H]; Both > 0)
        Lists[F].push_back({static_cast<uint32_t>(H), Both});
}

} // namespace kst
