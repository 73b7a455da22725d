// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/link/Effects.h"

#include <algorithm>
#include <tuple>

namespace kst {

void Effect::addSite(EffectSite Site) {
  for (EffectSite &Known : Sites)
    if (Known.Function == Site.Function && Known.Line == Site.Line &&
        Known.File == Site.File) {
      Known.Share += Site.Share;
      Site.Share = 0;
      break;
    }
  if (Site.Share > 0)
    Sites.push_back(Site);
  std::sort(Sites.begin(), Sites.end(),
            [](const EffectSite &A, const EffectSite &B) {
              return std::tie(B.Share, A.File, A.Line, A.Function) <
                     std::tie(A.Share, B.File, B.Line, B.Function);
            });
  if (Sites.size() > MaxSites)
    Sites.pop_back();
}

void Effect::add(const Effect &Other, double ByProbability, double Times) {
  double P = std::min(1.0, Other.Probability * ByProbability);
  Probability = 1 - (1 - Probability) * (1 - P);
  Reads += Other.Reads * Times;
  Writes += Other.Writes * Times;
  Lock += Other.Lock * Times;
  Marked += Other.Marked * Times;
  for (EffectSite Site : Other.Sites) {
    Site.Share *= Times;
    addSite(Site);
  }
}

} // namespace kst
