// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ProfileDownsample.h"

#include <charconv>
#include <cmath>
#include <random>

namespace kst {
namespace {

class Downsampler {
public:
  Downsampler(double Keep, uint64_t Seed) : Engine(Seed), Keep(Keep) {}

  void downsample(uint64_t &Count) {
    using Distribution = std::binomial_distribution<int64_t>;
    if (Keep >= 1 || !Count)
      return;
    // More than the distribution can hold is no longer a matter of chance.
    if (Count > uint64_t(1) << 53)
      Count = static_cast<uint64_t>(std::llround(Keep * double(Count)));
    else
      Count = static_cast<uint64_t>(
          Distribution(static_cast<int64_t>(Count), Keep)(Engine));
  }

private:
  std::mt19937_64 Engine;
  double Keep;
};

/// How often the regions run each site.
std::vector<uint64_t> runsOfSites(const Profile &P) {
  std::vector<uint64_t> Runs(P.Sites.size());
  for (const MeasuredRegion &R : P.Regions)
    for (const SiteReference &Of : P.references(R))
      Runs[Of.Site] += R.Count * Of.Times;
  return Runs;
}

} // namespace

Profile downsampleProfile(Profile P, double Keep, uint64_t Seed) {
  Downsampler Chance(Keep, Seed);
  const std::vector<uint64_t> Before = runsOfSites(P);
  for (MeasuredRegion &R : P.Regions)
    Chance.downsample(R.Count);
  const std::vector<uint64_t> After = runsOfSites(P);
  for (size_t I = 0; I != P.Sites.size(); ++I) {
    uint64_t &Count = P.Sites[I].Count;
    // Regions that say more than the site has been counted: a sum that was read
    // while code ran. The site's own count is then all there is.
    bool Explained = Before[I] <= Count;
    uint64_t Rest = Explained ? Count - Before[I] : Count;
    Chance.downsample(Rest);
    Count = Explained ? After[I] + Rest : Rest;
  }
  for (AddressCount &A : P.ByAddress) {
    Chance.downsample(A.Reads);
    Chance.downsample(A.Writes);
  }
  for (ThreadUse &U : P.Threads) {
    Chance.downsample(U.ByOwner);
    Chance.downsample(U.ByOthers);
  }
  for (FunctionSamples &S : P.Samples)
    Chance.downsample(S.Count);
  P.DurationNs =
      static_cast<uint64_t>(std::llround(Keep * double(P.DurationNs)));
  char Share[32];
  auto Written = std::to_chars(Share, Share + sizeof Share, Keep);
  P.Text["thinned"] =
      std::string(Share, Written.ptr) + ", seed " + std::to_string(Seed);
  return P;
}

} // namespace kst
