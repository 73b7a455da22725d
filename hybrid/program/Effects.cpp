// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/Effects.h"

#include "hybrid/core/StrongestSites.h"

#include <algorithm>

namespace kst {

void Effect::add(const Effect &Other, double ByProbability, double Times) {
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
}

void Effect::assume() {
  std::vector<Effect::Site> All = std::move(Sites);
  Sites.clear();
  for (Effect::Site &Site : All)
    Site.Assumed = true;
  addSites(All, 1);
}

} // namespace kst
