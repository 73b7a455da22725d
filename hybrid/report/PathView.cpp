// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/PathView.h"

#include "hybrid/layout/Advise.h"
#include "hybrid/report/FieldView.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kst {
namespace {

/// Whether Plan has an offset for every field, as expectedLines() needs.
bool isPriceable(const RecordInfo &Record, const Layout &Plan) {
  return Plan.OffsetBits.size() == Record.Fields.size();
}

} // namespace

std::vector<PathView> pathsOf(const Report &R) {
  const AffinityEvidence &E = R.Evidence;
  const Layout &Now = R.Layouts.Current.Plan, &Then = R.Layouts.Proposed.Plan;
  if (!isPriceable(E.Record, Now) || !isPriceable(E.Record, Then))
    return {};
  CostOptions Options;
  Options.LineBytes = R.CacheLineBytes ? R.CacheLineBytes : 64;
  Options.InstanceAlignBytes = R.InstanceAlignBytes;
  double Total = totalWeight(E);
  std::vector<PathView> Paths;
  std::map<std::pair<std::string, std::string>, size_t> Known;
  for (const CoAccessSet &Set : E.Sets) {
    auto Key = std::pair(Set.Where.Function, Set.Where.Function.empty()
                                                 ? location(Set.Where)
                                                 : Set.Where.File);
    auto [At, New] = Known.try_emplace(Key, Paths.size());
    if (New) {
      Paths.emplace_back();
      Paths.back().Where = Set.Where;
    }
    PathView &Path = Paths[At->second]; // sums until all sets are in
    Path.Weight += Set.Weight;
    Path.Before += Set.Weight * expectedLines(E.Record, Set, Now, Options);
    Path.After += Set.Weight * expectedLines(E.Record, Set, Then, Options);
  }
  for (PathView &Path : Paths) {
    Path.Share = Total > 0 ? Path.Weight / Total : 0;
    if (Path.Weight > 0) {
      Path.Before /= Path.Weight;
      Path.After /= Path.Weight;
    }
  }
  std::stable_sort(Paths.begin(), Paths.end(),
                   [](auto &L, auto &R) { return L.saved() > R.saved(); });
  return Paths;
}

std::vector<PathView> notablePaths(const std::vector<PathView> &Paths,
                                   size_t Count) {
  double All = 0;
  for (const PathView &Path : Paths)
    All += Path.Weight * Path.Before;
  size_t Gain = 0, Pay = 0; // at the front, at the end
  while (Gain < Paths.size() && Paths[Gain].saved() > All / 1000)
    ++Gain;
  while (Pay < Paths.size() - Gain &&
         Paths[Paths.size() - 1 - Pay].saved() < -All / 1000)
    ++Pay;
  Pay = std::min(Pay, std::max(Count / 4, Count - std::min(Count, Gain)));
  Gain = std::min(Gain, Count - std::min(Count, Pay));
  std::vector<PathView> Shown(Paths.begin(), Paths.begin() + long(Gain));
  Shown.insert(Shown.end(), Paths.end() - long(Pay), Paths.end());
  return Shown;
}

} // namespace kst
