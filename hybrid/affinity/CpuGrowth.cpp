// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/affinity/CpuGrowth.h"

#include "hybrid/affinity/VisitScale.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace kst {

/// r(N) / r(2).
static double handedGrowth(double Cpus) {
  return 1 - Chance + Chance * 2 * (1 - 1 / Cpus);
}

double handedOver(double Share, double From, double To) {
  return std::min(1.0, Share * handedGrowth(To) / handedGrowth(From));
}

double loopGrowth(double From, double To) {
  return std::sqrt((To - 1) / (From - 1));
}

double otherCpus(double LoopShare, double Cpus) {
  const double BothHanded = (1 - LoopShare) * (1 - LoopShare);
  return std::clamp(1 / (BothHanded / Partners + (1 - BothHanded) / (Cpus - 1)),
                    1.0, Cpus - 1);
}

SharingOptions turnedOptions(SharingOptions Options, double Cpus,
                             std::optional<double> Known,
                             std::span<const CoAccessSet> Sets) {
  Options.UnknownRemoteShare =
      Known ? *Known : handedOver(Options.UnknownRemoteShare, ModelCpus, Cpus);
  Options.ChosenRemoteShare =
      handedOver(Options.ChosenRemoteShare, ModelCpus, Cpus);
  double All = 0, Loops = 0;
  for (const CoAccessSet &Set : Sets) {
    const double Others = meetingVisits(Set, Options).Others;
    All += Others;
    Loops += isLoopOverCpus(Set) ? Others : 0;
  }
  Options.OtherCpus = otherCpus(All > 0 ? Loops / All : 0, Cpus);
  return Options;
}

/// Of "8" or, of several runs, "2, 8" the mean; 0 if there is no number.
static double meanOf(std::string_view Text) {
  double Sum = 0;
  unsigned Count = 0;
  while (!Text.empty()) {
    unsigned Number = 0;
    const auto [End, Error] =
        std::from_chars(Text.data(), Text.data() + Text.size(), Number);
    if (Error == std::errc()) {
      Sum += Number;
      ++Count;
    }
    Text.remove_prefix(Error == std::errc() ? size_t(End - Text.data()) : 1);
  }
  return Count ? Sum / Count : 0;
}

/// Mean over the profiles, by their shares; whether one does not say.
static double recordedCpus(const Coverage &Covered, bool &Assumed) {
  double Sum = 0, Shares = 0;
  for (const ProfileCoverage &P : Covered.Profiles) {
    const auto At = P.Text.find("cpus");
    const double Said = At == P.Text.end() ? 0 : meanOf(At->second);
    Assumed |= Said < 2;
    Sum += P.Share * (Said < 2 ? ModelCpus : Said);
    Shares += P.Share;
  }
  return Shares > 0 ? Sum / Shares : ModelCpus;
}

/// Factor of the weight of visits in loops over CPUs.
static double loopFactor(const SetOrigin &From, double Recorded, double Cpus) {
  const double Measured = std::clamp(From.MeasuredShare, 0.0, 1.0);
  const double Referenced =
      std::clamp(From.ReferenceShare, 0.0, 1.0 - Measured);
  return Measured * loopGrowth(Recorded, Cpus) +
         Referenced * loopGrowth(ModelCpus, Cpus) +
         (1 - Measured - Referenced) * loopGrowth(LoopCpus, Cpus);
}

static double loopShare(const AffinityEvidence &Of) {
  double All = 0, Loops = 0;
  for (const CoAccessSet &Set : Of.Sets) {
    All += Set.Weight;
    Loops += isLoopOverCpus(Set) ? Set.Weight : 0;
  }
  return All > 0 ? Loops / All : 0;
}

/// Windows of a trace, as many as before, with the wanted share of remote ones.
static void turnWindows(AffinityEvidence &Of, double From, double Cpus) {
  double All = 0, Remote = 0;
  for (const CoAccessSet &Set : Of.Sets)
    if (Set.Kind == SetKind::Trace) {
      All += Set.Weight;
      Remote += Set.Cpu == CpuRelation::Remote ? Set.Weight : 0;
    }
  if (!(Remote > 0 && Remote < All))
    return;
  const double Share = Remote / All, New = handedOver(Share, From, Cpus);
  for (CoAccessSet &Set : Of.Sets) {
    if (Set.Kind != SetKind::Trace)
      continue;
    const double Factor =
        Set.Cpu == CpuRelation::Remote ? New / Share : (1 - New) / (1 - Share);
    scaleVisits(Of, Set, Factor);
  }
}

void noteRecordedCpus(AffinityEvidence &Of) {
  CpuCount &Count = Of.Users.Cpus;
  Count.Recorded = recordedCpus(Of.Covered, Count.RecordedAssumed);
}

void turnToCpus(AffinityEvidence &Of, uint32_t Cpus) {
  CpuCount &Count = Of.Users.Cpus;
  const double Before = std::exchange(Count.Wanted, Cpus);
  if (!Before) {
    noteRecordedCpus(Of);
    Count.LoopsBefore = loopShare(Of);
  }
  const double From = Before ? Before : Count.Recorded;
  if (Of.Users.OthersShare && !Of.Users.Exclusive)
    Of.Users.OthersShare = handedOver(*Of.Users.OthersShare, From, Cpus);
  for (CoAccessSet &Set : Of.Sets) {
    if (Set.Others)
      Set.Others = handedOver(*Set.Others, Before ? Before : ModelCpus, Cpus);
    if (!isLoopOverCpus(Set))
      continue;
    const double Factor =
        loopFactor(Set.From, Count.Recorded, Cpus) /
        (Before ? loopFactor(Set.From, Count.Recorded, Before) : 1);
    scaleVisits(Of, Set, Factor);
  }
  turnWindows(Of, From, Cpus);
  Count.Loops = loopShare(Of);
}

} // namespace kst
