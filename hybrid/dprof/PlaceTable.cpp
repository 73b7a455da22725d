// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/PlaceTable.h"

#include <algorithm>

namespace kst {

uint64_t PlaceTable::Key::hash() const {
  uint64_t H = (uint64_t(Type) << 32 | Site) * 0x9e3779b97f4a7c15;
  H ^= H >> 29;
  H += uint64_t(OffsetBytes) << 8 | uint64_t(Context);
  H = (H ^ uint64_t(SizeBytes) << 40) * 0xbf58476d1ce4e5b9;
  return H ^ H >> 32;
}

uint32_t PlaceTable::find(const Key &Of, uint64_t Hash) {
  size_t At = home(Hash);
  for (; Slots[At]; At = home(At + 1)) {
    const uint32_t Row = numberIn(Slots[At]);
    if (Slots[At] == slot(Hash, Row) && Rows[Row].Of == Of)
      return Row;
  }
  if (Rows.size() == MostPlaces)
    return None;
  Slots[At] = slot(Hash, Rows.size());
  Rows.emplace_back().Of = Of;
  Missed.emplace_back();
  if (Rows.size() * 2 > Slots.size())
    grow();
  return uint32_t(Rows.size() - 1);
}

void PlaceTable::grow() {
  Slots.assign(2 * Slots.size(), 0);
  for (size_t R = 0; R < Rows.size(); ++R) {
    const uint64_t Hash = Rows[R].Of.hash();
    size_t At = home(Hash);
    while (Slots[At])
      At = home(At + 1);
    Slots[At] = slot(Hash, R);
  }
}

uint32_t PlaceTable::count(const Key &Of, uint64_t Hash, unsigned Cpu,
                           bool Stores) {
  const uint32_t Place = find(Of, Hash);
  if (Place == None) {
    if (Others.size() <= Of.Type)
      Others.resize(Of.Type + 1);
    ++Others[Of.Type];
    return None;
  }
  Row &At = Rows[Place];
  ++(Stores ? At.Stores : At.Loads);
  At.Cpus |= uint64_t(1) << Cpu;
  return Place;
}

void PlaceTable::turnTrue(uint32_t Place) {
  if (Place == None)
    return;
  --Missed[Place][size_t(MissClass::FalseSharing)];
  ++Missed[Place][size_t(MissClass::TrueSharing)];
}

void PlaceTable::finish(const TraceTables &Tables, DataProfile &Into) const {
  const Profile &About = Tables.About;
  std::vector<uint32_t> Numbers(About.Sites.size(), None);
  for (size_t R = 0; R < Rows.size(); ++R) {
    const Row &From = Rows[R];
    PlaceRow To;
    To.OffsetBytes = From.Of.OffsetBytes;
    To.SizeBytes = From.Of.SizeBytes;
    To.Context = From.Of.Context;
    To.Loads = From.Loads;
    To.Stores = From.Stores;
    To.Cpus = From.Cpus;
    To.Missed = Missed[R];
    const MeasuredSite &Site = About.Sites[From.Of.Site];
    uint32_t &Number = Numbers[From.Of.Site];
    if (Number == None) {
      Number = uint32_t(Into.Sites.size());
      Into.Sites.push_back({About.text(Site.Function), About.text(Site.File),
                            Site.Line, About.text(Site.Field)});
    }
    To.Site = Number;
    Into.Types[From.Of.Type].Places.push_back(To);
  }
  for (size_t T = 0; T < Others.size(); ++T)
    Into.Types[T].OtherPlaces = Others[T];
  auto Key = [&](const PlaceRow &P) {
    const SiteName &At = Into.Sites[P.Site];
    return std::tuple(P.OffsetBytes, ~P.misses(), ~(P.Loads + P.Stores),
                      std::tie(At.Field, At.Function, At.File, At.Line),
                      P.SizeBytes, P.Context);
  };
  for (TypeRow &Of : Into.Types)
    std::stable_sort(Of.Places.begin(), Of.Places.end(),
                     [&](auto &A, auto &B) { return Key(A) < Key(B); });
}

} // namespace kst
