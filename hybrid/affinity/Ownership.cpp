// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/affinity/Ownership.h"

#include "hybrid/affinity/CpuGrowth.h"

#include <algorithm>
#include <limits>

namespace kst {

/// Visits that tell whose an object is, of all. A judgement between structs of
/// a CPU or a task and others (docs/design/price.md).
static constexpr double ToldOfOwned = 0.1;

void makeExclusive(AffinityEvidence &Of, std::string Source) {
  Of.Users.Exclusive = true;
  Of.Users.OthersShare = 0;
  Of.Users.Source = std::move(Source);
  for (CoAccessSet &Set : Of.Sets) {
    Set.Cpu = CpuRelation::Local;
    Set.Others.reset();
  }
  for (FieldUse &Use : Of.Fields)
    Use.RemoteReads = Use.RemoteWrites = 0;
}

/// Of the machine that the evidence is for.
static double cpusOf(const Ownership &Users) {
  return Users.Cpus.Wanted ? Users.Cpus.Wanted
                           : std::max(ModelCpus, Users.Cpus.Recorded);
}

SharingOptions sharingOptions(SharingOptions Options, const Ownership &Users,
                              std::span<const CoAccessSet> Sets) {
  Options.Cpus = std::max(ModelCpus, cpusOf(Users));
  if (Users.OthersShare && !(*Users.OthersShare > 0))
    Options.ChosenRemoteShare = 0;
  if (const double Cpus = Users.Cpus.Wanted; Cpus >= 2)
    Options = turnedOptions(Options, Cpus, Users.OthersShare, Sets);
  else if (Users.OthersShare)
    Options.UnknownRemoteShare = *Users.OthersShare;
  Options.Stays = staysOf(Sets, Options);
  return Options;
}

bool haveOwners(std::span<const CoAccessSet> Sets) {
  double All = 0, Told = 0;
  for (const CoAccessSet &Set : Sets) {
    All += Set.Weight;
    Told += Set.Cpu == CpuRelation::Unknown ? 0 : Set.Weight;
  }
  return Told >= ToldOfOwned * All;
}

bool usersUnknown(const AffinityEvidence &Of) {
  return !Of.Users.Exclusive && !Of.Users.OthersShare &&
         !Of.Users.StartsNoThread && Of.Users.Turns == UserTurns::Unsaid &&
         Of.Users.Cpus.Wanted >= 2 && !haveOwners(Of.Sets);
}

SharingOptions sharedByAll(SharingOptions Options, const Ownership &Users) {
  const double Cpus = Options.Cpus = cpusOf(Users);
  Options.UnknownRemoteShare = Options.ChosenRemoteShare = 1 - 1 / Cpus;
  Options.OthersSeen = false;
  Options.OtherCpus = Cpus - 1;
  Options.Stays = std::numeric_limits<double>::infinity();
  return Options;
}

namespace {

/// Of each field, 0..1: what is left of its writes in a long life.
std::vector<double> keptInLongLife(std::span<const CoAccessSet> Sets,
                                   size_t FieldCount) {
  std::vector<double> Made(FieldCount), Written(FieldCount); // once each
  for (const CoAccessSet &Set : Sets)
    for (const FieldTouch &T : Set.Touches)
      if (Set.When == Phase::SetUp)
        Made[T.Field] += Set.Weight * writeChance(T);
      else if (!isOwned(Set.When))
        Written[T.Field] += Set.Weight * writeChance(T);
  const double Births = *std::ranges::max_element(Made);
  for (double &Of : Written)
    Of = Of > 0 ? std::max(0.0, 1 - WritesOfALife * Births / Of) : 1;
  return Written;
}

/// By field: several functions use it with plain accesses.
std::vector<bool> plainlyUsedBySeveral(std::span<const CoAccessSet> Sets,
                                       size_t FieldCount) {
  std::vector<const Site *> First(FieldCount);
  std::vector<bool> Several(FieldCount);
  for (const CoAccessSet &Set : Sets)
    for (const FieldTouch &T : Set.Touches) {
      if (isOwned(Set.When) || T.LocklessShare == 1)
        continue;
      if (First[T.Field] && First[T.Field]->Function != Set.Where.Function)
        Several[T.Field] = true;
      First[T.Field] = &Set.Where;
    }
  return Several;
}

} // namespace

std::vector<CoAccessSet> ofSharedObjects(std::span<const CoAccessSet> Sets,
                                         std::span<const FieldUse> Fields) {
  std::vector<CoAccessSet> Made(Sets.begin(), Sets.end());
  size_t Count = Fields.size();
  for (const CoAccessSet &Set : Sets)
    for (const FieldTouch &T : Set.Touches)
      Count = std::max<size_t>(Count, T.Field + 1);
  if (!Count)
    return Made;
  const std::vector<double> Kept = keptInLongLife(Sets, Count);
  const std::vector<bool> Several = plainlyUsedBySeveral(Sets, Count);
  auto IsLock = [&](const FieldTouch &T) {
    return T.Field < Fields.size() && Fields[T.Field].Lock > 0;
  };
  for (CoAccessSet &Set : Made)
    for (FieldTouch &T : Set.Touches) {
      double Meets = Kept[T.Field];
      if (!Set.Guarded && !IsLock(T) && Several[T.Field])
        Meets *= T.LocklessShare + (1 - T.LocklessShare) * PlainMeets;
      T.Writes = writeChance(T) * Meets;
      for (Spot &At : T.Spots)
        At.Writes = std::min(At.Writes, 1.0) * Meets;
    }
  return Made;
}

} // namespace kst
