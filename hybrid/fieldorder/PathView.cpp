// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/PathView.h"

#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/layout/Advise.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

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
  std::map<std::tuple<std::string, std::string, Phase>, size_t> Known;
  for (uint32_t I = 0; I < E.Sets.size(); ++I) {
    const CoAccessSet &Set = E.Sets[I];
    double Before = expectedLines(E.Record, Set, Now, Options);
    double After = expectedLines(E.Record, Set, Then, Options);
    double Saved = Set.Weight * (Before - After);
    auto Key = std::tuple(Set.Where.Function,
                          Set.Where.Function.empty() ? location(Set.Where)
                                                     : Set.Where.File,
                          Set.When);
    auto [At, New] = Known.try_emplace(Key, Paths.size());
    if (New)
      Paths.emplace_back();
    PathView &Path = Paths[At->second];
    double Sum = Path.Saved + Saved;
    if (New ||
        std::fabs(Saved) > std::fabs(Path.Weight * (Path.Before - Path.After)))
      Path = {Set.Where,
              I,
              Set.When,
              Set.Weight,
              Total > 0 ? Set.Weight / Total : 0,
              Before,
              After,
              0};
    Path.Saved = Sum;
  }
  std::ranges::stable_sort(Paths, [](auto &L, auto &R) {
    return std::pair(L.When != Phase::Steady, -L.Saved) <
           std::pair(R.When != Phase::Steady, -R.Saved);
  });
  return Paths;
}

std::string pathWords(const Report &R, const PathView &Path) {
  const CoAccessSet &Set = R.Evidence.Sets[Path.Set];
  std::string Measured = measuredWords(R.Evidence, Set.From.MeasuredShare);
  return visitWords(Set) + (Measured.empty() ? "" : ", ") + Measured;
}

std::vector<PathView> notablePaths(std::vector<PathView> Paths, size_t Count) {
  auto Steady = [](const PathView &Path) { return Path.When == Phase::Steady; };
  if (std::ranges::any_of(Paths, Steady))
    std::erase_if(Paths, std::not_fn(Steady));
  double All = 0;
  for (const PathView &Path : Paths)
    All += Path.Weight * Path.Before;
  size_t Gain = 0, Pay = 0; // at the front, at the end
  while (Gain < Paths.size() && Paths[Gain].Saved > All / 1000)
    ++Gain;
  while (Pay < Paths.size() - Gain &&
         Paths[Paths.size() - 1 - Pay].Saved < -All / 1000)
    ++Pay;
  Pay = std::min(Pay, std::max(Count / 4, Count - std::min(Count, Gain)));
  Gain = std::min(Gain, Count - std::min(Count, Pay));
  std::vector<PathView> Shown(Paths.begin(), Paths.begin() + long(Gain));
  Shown.insert(Shown.end(), Paths.end() - long(Pay), Paths.end());
  return Shown;
}

} // namespace kst
