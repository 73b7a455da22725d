// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/UserListing.h"

#include "hybrid/trace/CpuLoops.h"
#include "hybrid/trace/ObjectOwners.h"
#include "hybrid/trace/ObjectTable.h"

#include <algorithm>
#include <map>

namespace kst {

std::string userListing(TraceReader &Trace, const std::string &Struct) {
  const TraceTables &T = Trace.tables();
  const Profile &P = T.About;
  struct Visits {
    uint64_t All = 0, ByOthers = 0, InLoops = 0;
  };
  // Function and file of a site are one number of the first such site.
  std::map<std::pair<TextId, TextId>, uint32_t> Known;
  std::vector<uint32_t> FunctionOf;
  for (const MeasuredSite &Site : P.Sites)
    FunctionOf.push_back(
        Known.try_emplace({Site.Function, Site.File}, FunctionOf.size())
            .first->second);
  std::map<std::pair<TextId, uint32_t>, Visits> Rows;
  struct Sum {
    uint64_t Accesses = 0, ByOthers = 0, Stays = 0, Changes = 0;
    CpuLoops Loops;
  };
  std::map<TextId, Sum> Sums;
  ObjectTable Objects(T);
  ObjectOwners Owners;
  for (TraceEvent E; Trace.next(E);) {
    Objects.apply(E);
    if (E.Kind != EventKind::Access || E.Site >= FunctionOf.size())
      continue;
    const TracePlace Place = Objects.place(E);
    if (Place.Struct == NoStruct)
      continue;
    const TextId Name = P.Structs[Place.Struct].Name;
    if (!Struct.empty() && P.text(Name) != Struct)
      continue;
    const uint32_t Function = FunctionOf[E.Site];
    const auto Use =
        Owners.use(Place.Object, Place.Number, E.Stream, Function, Place.Cpu);
    Sum &In = Sums[Name];
    ++In.Accesses;
    In.ByOthers += Use.ByOther;
    In.Stays += Use.ByOther && Use.Arrives;
    In.Changes += Use.Changes;
    In.Loops.access(E.Stream);
    if (!Use.Begins)
      continue;
    Visits &Of = Rows[{Name, Function}];
    ++Of.All;
    Of.ByOthers += Use.ByOther;
    if (Place.Cpu != NoCpu)
      Of.InLoops += In.Loops.visit(E.Stream, Function, Place.Cpu);
  }
  std::vector<std::pair<std::pair<TextId, uint32_t>, Visits>> Sorted(
      Rows.begin(), Rows.end());
  std::stable_sort(Sorted.begin(), Sorted.end(), [](auto &A, auto &B) {
    return std::make_pair(A.first.first, ~A.second.All) <
           std::make_pair(B.first.first, ~B.second.All);
  });
  std::string Out;
  for (const auto &[Name, In] : Sums)
    Out += "# " + P.text(Name) + ": " + std::to_string(In.Accesses) +
           " accesses, " + std::to_string(In.ByOthers) + " by others in " +
           std::to_string(In.Stays) + " stays, " + std::to_string(In.Changes) +
           " of these by another CPU than the one before\n";
  Out += "# visits by-others in-loops struct function file\n";
  for (const auto &[What, Of] : Sorted) {
    const MeasuredSite &At = P.Sites[What.second];
    Out += std::to_string(Of.All) + " " + std::to_string(Of.ByOthers) + " " +
           std::to_string(Of.InLoops) + " " + P.text(What.first) + " " +
           P.text(At.Function) + " " + P.text(At.File) + "\n";
  }
  return Out;
}

} // namespace kst
