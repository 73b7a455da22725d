// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/AccessPlaces.h"

#include <algorithm>

namespace kst {

size_t AccessPlaces::Hash::operator()(const Key &Of) const {
  uint64_t H = (uint64_t(Of.Type) << 32 | Of.Site) * 0x9e3779b97f4a7c15;
  H ^= H >> 29;
  H += uint64_t(Of.OffsetBytes) << 8 | uint64_t(Of.Context);
  H = (H ^ uint64_t(Of.SizeBytes) << 40) * 0xbf58476d1ce4e5b9;
  return H ^ H >> 32;
}

uint32_t AccessPlaces::find(const Key &Of) {
  // Mostly a site does what it did before.
  uint32_t *Last = Of.Site < Latest.size() ? &Latest[Of.Site] : nullptr;
  if (Last && *Last != None && Rows[*Last].Of == Of)
    return *Last;
  auto At = Numbers.find(Of);
  if (At == Numbers.end()) {
    if (Rows.size() == MostPlaces)
      return None;
    At = Numbers.emplace(Of, uint32_t(Rows.size())).first;
    Rows.emplace_back().Of = Of;
  }
  if (Last)
    *Last = At->second;
  return At->second;
}

uint32_t AccessPlaces::count(const Key &Of, unsigned Cpu, bool Stores) {
  const uint32_t Place = find(Of);
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

void AccessPlaces::turnTrue(uint32_t Place) {
  if (Place == None)
    return;
  auto &Missed = Rows[Place].Missed;
  --Missed[size_t(MissClass::FalseSharing)];
  ++Missed[size_t(MissClass::TrueSharing)];
}

void AccessPlaces::finish(const TraceTables &Tables,
                          std::vector<TypeRow> &Types) const {
  const Profile &About = Tables.About;
  for (const Row &From : Rows) {
    PlaceRow To;
    To.OffsetBytes = From.Of.OffsetBytes;
    To.SizeBytes = From.Of.SizeBytes;
    if (From.Of.Site < About.Sites.size()) {
      const MeasuredSite &Site = About.Sites[From.Of.Site];
      To.Field = About.text(Site.Field);
      To.Function = About.text(Site.Function);
      To.File = About.text(Site.File);
      To.Line = Site.Line;
    }
    To.Context = From.Of.Context;
    To.Loads = From.Loads;
    To.Stores = From.Stores;
    To.Cpus = From.Cpus;
    std::copy(From.Missed.begin(), From.Missed.end(), To.Missed.begin());
    auto &Places = Types[From.Of.Type].Places;
    Places.push_back(std::move(To));
  }
  for (size_t T = 0; T < Others.size(); ++T)
    Types[T].OtherPlaces = Others[T];
  for (TypeRow &Of : Types)
    std::sort(Of.Places.begin(), Of.Places.end(),
              [](const PlaceRow &A, const PlaceRow &B) {
                auto Key = [](const PlaceRow &P) {
                  return std::tuple(P.OffsetBytes, std::cref(P.Field).get(),
                                    ~P.misses(), ~(P.Loads + P.Stores),
                                    std::tie(P.Function, P.File), P.Line,
                                    P.SizeBytes, P.Context, P.Stores);
                };
                return Key(A) < Key(B);
              });
}

} // namespace kst
