// SPDX-License-Identifier: GPL-2.0-or-later
//
// See Sharing.h for the derivation; names here follow it.

#include "hybrid/affinity/Sharing.h"

#include <algorithm>
#include <cmath>

namespace kst {

/// Stays, if every visit is one.
static constexpr double EachAlone = std::numeric_limits<double>::infinity();

double remoteShare(CpuRelation Of, const SharingOptions &Options) {
  switch (Of) {
  case CpuRelation::Local:
    return 0;
  case CpuRelation::Remote:
    return 1;
  case CpuRelation::Chosen:
    return Options.ChosenRemoteShare;
  case CpuRelation::Unknown:
    break;
  }
  return Options.UnknownRemoteShare;
}

GroupVisits meetingVisits(const CoAccessSet &Set,
                          const SharingOptions &Options) {
  const double Weight = std::max(0.0, Set.Weight * Set.Shared);
  const double Remote = Set.Others && Options.OthersSeen
                            ? std::clamp(*Set.Others, 0.0, 1.0)
                            : remoteShare(Set.Cpu, Options);
  return {Weight * (1 - Remote), Weight * Remote};
}

double writeChance(const FieldTouch &Touch) {
  return std::clamp(Touch.Writes, 0.0, std::clamp(Touch.Probability, 0.0, 1.0));
}

bool isLoopOverCpus(const CoAccessSet &Set) {
  return Set.Cpu == CpuRelation::Remote && Set.Kind != SetKind::Trace;
}

double staysOf(std::span<const CoAccessSet> Sets,
               const SharingOptions &Options) {
  if (!(Options.AccessesPerStay > 0))
    return Options.Stays;
  double Rounds = 0, Visits = 0, Accesses = 0;
  for (const CoAccessSet &Set : Sets) {
    const double Others = meetingVisits(Set, Options).Others;
    if (isLoopOverCpus(Set)) {
      Rounds += Others;
      continue;
    }
    Visits += Others;
    for (const FieldTouch &T : Set.Touches)
      Accesses += Others * (T.Reads + T.Writes);
  }
  return Rounds + std::min(Visits, Accesses / Options.AccessesPerStay);
}

/// The part of the stays that visits fall into.
static double reached(double Visits, double Stays) {
  return -std::expm1(-Visits / Stays);
}

/// m(W, V), symmetric.
static double meetings(double Writes, double Uses, double Stays) {
  if (!(Writes > 0 && Uses > 0 && Stays > 0))
    return 0;
  if (std::isinf(Stays))
    return Writes * Uses / (Writes + Uses);
  const double A = reached(Uses, Stays), B = reached(Writes, Stays);
  return Stays * A * B / (A + B - A * B);
}

/// Writes that the others lose a line to.
static double against(const GroupVisits &Writes, double OtherCpus) {
  return std::max(0.0, Writes.Owner) * OtherCpus +
         std::max(0.0, Writes.Others) * (OtherCpus - 1);
}

double lostVisits(const LineUse &Line, const Turns &How) {
  return meetings(Line.Writes.Others, Line.Uses.Owner, How.Stays) +
         meetings(against(Line.Writes, How.OtherCpus), Line.Uses.Others,
                  How.Stays) +
         meetings(Line.Writes.Waiters, Line.Uses.Holder, EachAlone);
}

GroupVisits fewer(const GroupVisits &A, const GroupVisits &B) {
  return {std::min(A.Owner, B.Owner), std::min(A.Others, B.Others),
          std::min(A.Holder, B.Holder), std::min(A.Waiters, B.Waiters)};
}

std::vector<LineUse> contention(uint32_t FieldCount,
                                std::span<const CoAccessSet> Sets,
                                const SharingOptions &Options) {
  std::vector<LineUse> Of(FieldCount);
  for (const CoAccessSet &Set : Sets)
    for (const FieldTouch &Lock : Set.Touches) {
      const auto At = Options.Arrivals.find(Lock.Field);
      if (At == Options.Arrivals.end() || Lock.Field >= FieldCount)
        continue;
      const double Taken = Set.Weight * Set.Shared * writeChance(Lock);
      Of[Lock.Field].Writes.Waiters += Taken * At->second;
      for (const FieldTouch &T : Set.Touches)
        if (T.Field != Lock.Field && T.Field < FieldCount)
          Of[T.Field].Uses.Holder += Taken * (T.Reads + T.Writes);
    }
  return Of;
}

/// A slope below the chord of m(Fixed, .) from Least to Least + Most.
static double chord(double Fixed, double Least, double Most, double Stays) {
  if (!(Fixed > 0))
    return 0;
  const double End = Least + Most;
  // Differences of what is nearly equal are noise: the slope at the end is
  // less.
  if (Most > 1e-6 * (Fixed + End))
    return (meetings(Fixed, End, Stays) - meetings(Fixed, Least, Stays)) /
           Most * (1 - 1e-9);
  if (std::isinf(Stays))
    return Fixed * Fixed / ((Fixed + End) * (Fixed + End));
  if (!(Stays > 0))
    return 0;
  const double A = reached(End, Stays), B = reached(Fixed, Stays);
  const double Sum = A + B - A * B;
  return B * B * std::exp(-End / Stays) / (Sum * Sum);
}

LineUse lostSlopes(const LineUse &From, const LineUse &Most, const Turns &How) {
  const double Against = against(From.Writes, How.OtherCpus);
  const double ByOthers =
      chord(From.Uses.Owner, From.Writes.Others, Most.Writes.Others, How.Stays);
  const double ByAll = chord(From.Uses.Others, Against,
                             against(Most.Writes, How.OtherCpus), How.Stays);
  LineUse Slopes;
  Slopes.Uses = {
      chord(From.Writes.Others, From.Uses.Owner, Most.Uses.Owner, How.Stays),
      chord(Against, From.Uses.Others, Most.Uses.Others, How.Stays)};
  Slopes.Writes = {ByAll * How.OtherCpus,
                   ByOthers + ByAll * (How.OtherCpus - 1)};
  Slopes.Uses.Holder =
      chord(From.Writes.Waiters, From.Uses.Holder, Most.Uses.Holder, EachAlone);
  Slopes.Writes.Waiters = chord(From.Uses.Holder, From.Writes.Waiters,
                                Most.Writes.Waiters, EachAlone);
  return Slopes;
}

} // namespace kst
