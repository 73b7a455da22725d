// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/KeptApart.h"

#include "hybrid/layout/FieldOffsets.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace kst {

using Pair = std::pair<uint32_t, uint32_t>;

/// Visits that use a lock and another field, by the two, the lesser first.
static std::map<Pair, double> usedWithLocks(const AffinityEvidence &Of) {
  auto IsLock = [&](uint32_t F) {
    return F < Of.Fields.size() && Of.Fields[F].Lock > 0;
  };
  std::map<Pair, double> Used;
  for (const CoAccessSet &Set : Of.Sets)
    for (const FieldTouch &Lock : Set.Touches)
      if (IsLock(Lock.Field))
        for (const FieldTouch &T : Set.Touches)
          if (T.Field != Lock.Field &&
              !(IsLock(T.Field) && T.Field < Lock.Field)) // counted already
            Used[std::minmax(Lock.Field, T.Field)] +=
                Set.Weight * Lock.Probability * T.Probability;
  return Used;
}

static std::set<Pair> locksAndTheirs(const AffinityEvidence &Of) {
  double Visits = 0;
  for (const CoAccessSet &Set : Of.Sets)
    Visits += Set.Weight;
  std::set<Pair> Pairs;
  for (const auto &[Both, Used] : usedWithLocks(Of))
    if (Used >= NotableShare * Visits && Both.second < Of.Record.Fields.size())
      Pairs.insert(Both);
  return Pairs;
}

/// Those that no function writes both of.
static std::set<Pair> ofOtherWriters(const AffinityEvidence &Of) {
  std::map<uint32_t, std::set<std::string>> Writers;
  for (const CoAccessSet &Set : Of.Sets)
    for (const FieldTouch &T : Set.Touches)
      if (writeChance(T) > 0 && !isOwned(Set.When))
        Writers[T.Field].insert(Set.Where.Function);
  std::set<Pair> Pairs;
  for (const auto &[F, One] : Writers)
    for (const auto &[H, Other] : Writers)
      if (F < H &&
          std::ranges::none_of(
              One,
              [&](const std::string &Name) { return Other.contains(Name); }))
        Pairs.insert({F, H});
  return Pairs;
}

static std::vector<Placement> apartNow(const RecordInfo &Record,
                                       const std::set<Pair> &Pairs,
                                       uint32_t LineBytes) {
  const Layout Stated = statedLayout(Record);
  std::vector<Placement> Kept;
  for (auto [F, H] : Pairs) {
    Placement Apart{PlacementKind::Apart, F, H};
    Apart.Asked = false;
    Apart.Text =
        "'" + Record.Fields[F].Name + "' and '" + Record.Fields[H].Name + "'";
    if (meets(Apart, Record, Stated.Order, Stated.OffsetBits, LineBytes))
      Kept.push_back(std::move(Apart));
  }
  return Kept;
}

std::vector<Placement> keptApart(const AffinityEvidence &Of,
                                 uint32_t LineBytes) {
  return apartNow(Of.Record, locksAndTheirs(Of), LineBytes);
}

std::vector<Placement> keptApart(const AffinityEvidence &Of, uint32_t LineBytes,
                                 const Conflicts &Clashes,
                                 double LeastConflict) {
  std::set<Pair> Pairs = locksAndTheirs(Of);
  Pairs.merge(ofOtherWriters(Of));
  for (uint32_t F = 0; F < Of.Record.Fields.size(); ++F)
    for (const Conflicts::Neighbour &With : Clashes.of(F))
      if (With.Weight >= LeastConflict)
        Pairs.insert(std::minmax(F, With.Field));
  return apartNow(Of.Record, Pairs, LineBytes);
}

} // namespace kst
