// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/affinity/Ownership.h"

#include "hybrid/affinity/CpuGrowth.h"

namespace kst {

void makeExclusive(AffinityEvidence &Of, std::string Source) {
  Of.Users.Exclusive = true;
  Of.Users.OthersShare = 0;
  Of.Users.Source = std::move(Source);
  for (CoAccessSet &Set : Of.Sets)
    Set.Cpu = CpuRelation::Local;
  for (FieldUse &Use : Of.Fields)
    Use.RemoteReads = Use.RemoteWrites = 0;
}

SharingOptions sharingOptions(SharingOptions Options, const Ownership &Users,
                              std::span<const CoAccessSet> Sets) {
  if (Users.OthersShare && !(*Users.OthersShare > 0))
    Options.ChosenRemoteShare = 0;
  if (const double Cpus = Users.Cpus.Wanted; Cpus >= 2)
    Options = turnedOptions(Options, Cpus, Users.OthersShare, Sets);
  else if (Users.OthersShare)
    Options.UnknownRemoteShare = *Users.OthersShare;
  Options.Stays = staysOf(Sets, Options);
  return Options;
}

} // namespace kst
