// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/Visitors.h"

namespace kst {

void Visitors::add(std::span<const VisitCount> Seen) {
  for (const VisitCount &Of : Seen) {
    Function &To = Functions[{Of.Function, Of.File}];
    for (Sum *One : {&To.All, &To.Structs[Of.Struct]}) {
      One->Visits += Of.Visits;
      One->Others += Of.Visits * Of.Others;
    }
  }
}

std::optional<double> Visitors::othersShare(const std::string &Struct,
                                            const std::string &Function,
                                            const std::string &File,
                                            double Assumed) const {
  const auto At = Functions.find({Function, File});
  if (At == Functions.end())
    return std::nullopt;
  const auto Own = At->second.Structs.find(Struct);
  const Sum &Of =
      Own == At->second.Structs.end() ? At->second.All : Own->second;
  return (Of.Others + AssumedVisits * Assumed) / (Of.Visits + AssumedVisits);
}

void addVisitors(AffinityEvidence &To, const Visitors &Seen, double Assumed) {
  if (To.Users.Exclusive || To.Users.OthersShare)
    return;
  double Visits = 0, SeenVisits = 0, ByOthers = 0;
  for (CoAccessSet &Set : To.Sets) {
    if (Set.Cpu != CpuRelation::Unknown || isOwned(Set.When))
      continue;
    Visits += Set.Weight;
    double All = 0, Others = 0;
    bool Known = false;
    for (const FieldTouch &Touch : Set.Touches)
      for (const AccessSite &At : Touch.Sites) {
        const double Accesses = At.Reads + At.Writes;
        const auto Share = Seen.othersShare(To.Record.Name, At.Where.Function,
                                            At.Where.File, Assumed);
        Known |= Share.has_value();
        All += Accesses;
        Others += Accesses * Share.value_or(Assumed);
      }
    if (!Known || !(All > 0))
      continue;
    Set.OthersShare = Others / All;
    SeenVisits += Set.Weight;
    ByOthers += Set.Weight * *Set.OthersShare;
  }
  if (SeenVisits > 0) {
    To.Users.SeenPart = SeenVisits / Visits;
    To.Users.SeenOthers = ByOthers / SeenVisits;
  }
}

} // namespace kst
