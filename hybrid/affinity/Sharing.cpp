// SPDX-License-Identifier: GPL-2.0-or-later
//
// See Sharing.h for the derivation; names here follow it.

#include "hybrid/affinity/Sharing.h"

#include <algorithm>

namespace kst {

GroupVisits meetingVisits(const CoAccessSet &Set,
                          const SharingOptions &Options) {
  const double Weight = std::max(0.0, Set.Weight * Set.Shared);
  const double Remote = Set.Cpu == CpuRelation::Local ? 0.0
                        : Set.Cpu == CpuRelation::Remote
                            ? 1.0
                            : Options.UnknownRemoteShare;
  return {Weight * (1 - Remote), Weight * Remote};
}

double writeChance(const FieldTouch &Touch) {
  return std::clamp(Touch.Writes, 0.0, std::clamp(Touch.Probability, 0.0, 1.0));
}

LineUse &LineUse::operator+=(const LineUse &More) {
  Uses.Owner += More.Uses.Owner;
  Uses.Others += More.Uses.Others;
  Writes.Owner += More.Writes.Owner;
  Writes.Others += More.Writes.Others;
  return *this;
}

LineUse LineUse::operator-() const {
  return {{-Uses.Owner, -Uses.Others}, {-Writes.Owner, -Writes.Others}};
}

/// m(W, V): of Uses in random order among Writes by others, those that come
/// after a write.
static double meetings(double Writes, double Uses) {
  return Writes > 0 && Uses > 0 ? Writes * Uses / (Writes + Uses) : 0;
}

double lostVisits(const LineUse &Line, double OtherCpus) {
  const double ByPeers = std::max(0.0, Line.Writes.Others) * (OtherCpus - 1);
  const double ByOwner = std::max(0.0, Line.Writes.Owner) * OtherCpus;
  return meetings(Line.Writes.Others, Line.Uses.Owner) +
         meetings(ByOwner + ByPeers, Line.Uses.Others);
}

/// The chord of m(Fixed, .) from Least to Least + Most.
static double chord(double Fixed, double Least, double Most) {
  const double Sum = Fixed + Least;
  return Sum > 0 ? Fixed * Fixed / (Sum * (Sum + Most)) : 0;
}

LineUse lostSlopes(const LineUse &From, const LineUse &Most, double OtherCpus) {
  auto Against = [&](const GroupVisits &Writes) { // those that others lose to
    return Writes.Owner * OtherCpus + Writes.Others * (OtherCpus - 1);
  };
  const double ByOthers =
      chord(From.Uses.Owner, From.Writes.Others, Most.Writes.Others);
  const double ByAll =
      chord(From.Uses.Others, Against(From.Writes), Against(Most.Writes));
  LineUse Slopes;
  Slopes.Uses = {
      chord(From.Writes.Others, From.Uses.Owner, Most.Uses.Owner),
      chord(Against(From.Writes), From.Uses.Others, Most.Uses.Others)};
  Slopes.Writes = {ByAll * OtherCpus, ByOthers + ByAll * (OtherCpus - 1)};
  return Slopes;
}

} // namespace kst
