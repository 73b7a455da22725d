// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/KeptApart.h"

#include "hybrid/layout/FieldOffsets.h"

#include <algorithm>
#include <map>
#include <set>
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

std::vector<Placement> keptApart(const AffinityEvidence &Of,
                                 const Conflicts &Clashes, double LeastConflict,
                                 uint32_t LineBytes) {
  const RecordInfo &Record = Of.Record;
  const Layout Stated = statedLayout(Record);
  double Visits = 0;
  for (const CoAccessSet &Set : Of.Sets)
    Visits += Set.Weight;
  std::set<Pair> Pairs;
  for (const auto &[Both, Used] : usedWithLocks(Of))
    if (Used >= NotableShare * Visits && Both.second < Record.Fields.size())
      Pairs.insert(Both);
  for (uint32_t F = 0; F < Record.Fields.size(); ++F)
    for (const Conflicts::Neighbour &With : Clashes.of(F))
      if (With.Weight >= LeastConflict)
        Pairs.insert(std::minmax(F, With.Field));
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

} // namespace kst
