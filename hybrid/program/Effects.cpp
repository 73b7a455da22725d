// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/Effects.h"

#include "hybrid/core/StrongestSites.h"

#include <algorithm>

namespace kst {

void Effect::add(const Effect &Other, double ByProbability, double Times) {
  if (!Spots.empty() || !Other.Spots.empty()) {
    if (Spots.empty() && Probability > 0)
      Spots.push_back({0, Probability, Writes});
    const std::vector<Spot> Start{{0, Other.Probability, Other.Writes}};
    kst::addSpots(Spots, Other.Spots.empty() ? Start : Other.Spots,
                  ByProbability, Times);
  }
  double P = std::min(1.0, Other.Probability * ByProbability);
  Probability = 1 - (1 - Probability) * (1 - P);
  Reads += Other.Reads * Times;
  Writes += Other.Writes * Times;
  Lock += Other.Lock * Times;
  Marked += Other.Marked * Times;
  addSites(Other.Sites, Times);
}

void Effect::addSites(const std::vector<Effect::Site> &Others, double Times) {
  for (const Effect::Site &Site : Others) {
    auto Known = std::ranges::find_if(
        Sites, [&](auto &S) { return S.place() == Site.place(); });
    if (Known == Sites.end()) {
      Sites.push_back(Site);
      Known = std::prev(Sites.end());
      Known->Reads = Known->Writes = 0;
    }
    Known->Reads += Site.Reads * Times;
    Known->Writes += Site.Writes * Times;
  }
  keepStrongest(Sites);
}

void Effect::scale(double ReadTimes, double WriteTimes) {
  double Before = Reads + Writes;
  Reads *= ReadTimes;
  Writes *= WriteTimes;
  double Share = Before > 0 ? (Reads + Writes) / Before : 1;
  Lock *= Share;
  Marked *= Share;
  for (Effect::Site &Site : Sites) {
    Site.Reads *= ReadTimes;
    Site.Writes *= WriteTimes;
  }
  for (Spot &At : Spots)
    At.Writes *= WriteTimes;
}

void Effect::condition(double Share) {
  Probability /= Share;
  for (Spot &At : Spots)
    At.Probability = std::min(1.0, At.Probability / Share);
  scale(1 / Share, 1 / Share);
}

void Effect::shift(uint32_t Bytes) {
  if (Spots.empty() && Bytes)
    Spots.push_back({0, Probability, Writes});
  for (Spot &At : Spots)
    At.OffsetBytes += Bytes;
}

void Effect::limit(double Most) {
  if (Probability <= Most)
    return;
  for (Spot &At : Spots)
    At.Probability *= Most / Probability;
  Probability = Most;
}

void Effect::assume() {
  std::vector<Effect::Site> All = std::move(Sites);
  Sites.clear();
  for (Effect::Site &Site : All)
    Site.Assumed = Site.Guessed = true;
  addSites(All, 1);
}

} // namespace kst
