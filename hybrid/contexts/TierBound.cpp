// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/TierBound.h"

#include <algorithm>

namespace kst {

static constexpr unsigned Rounds = 60;

void TierBound::begin(TierPage Page, uint32_t) {
  if (LifeOf.size() <= Page)
    LifeOf.resize(Page + 1);
  LifeOf[Page] = uint32_t(Lives.size());
  Lives.emplace_back();
}

void TierBound::access(TierPage Page, uint32_t Slice) {
  std::vector<Use> &Uses = Lives[LifeOf[Page]].Uses;
  if (!Uses.empty() && Uses.back().Slice == Slice)
    ++Uses.back().Number;
  else
    Uses.push_back({Slice, 1});
}

void TierBound::end(TierPage Page, uint32_t) {
  Lives[LifeOf[Page]].Uses.shrink_to_fit();
}

namespace {

/// A way through one slice with accesses: from a tier to a tier.
struct Choice {
  bool FromFast[2]; ///< by the tier after it (1: fast), whether it came so
};

} // namespace

double TierBound::bound(uint64_t FastPages, double Ratio, double Copy) const {
  std::vector<double> Price(Slices), Sum(Slices + 1), Used(Slices);
  std::vector<Choice> Way;
  double Best = 0, Step = 0;
  uint64_t Accesses = 0;
  for (const Life &Of : Lives)
    for (const Use &U : Of.Uses)
      Accesses += U.Number;
  for (unsigned Round = 0; Round < Rounds; ++Round) {
    for (uint32_t S = 0; S < Slices; ++S)
      Sum[S + 1] = Sum[S] + Price[S];
    std::fill(Used.begin(), Used.end(), 0);
    double Cost = 0;
    for (const Life &Of : Lives) {
      if (Of.Uses.empty())
        continue;
      double Fast = 0, Slow = 0;
      Way.clear();
      for (size_t I = 0; I < Of.Uses.size(); ++I) {
        const Use &U = Of.Uses[I];
        // Whoever is fast stays so over the ends of the slices in between.
        if (I)
          Fast += Sum[U.Slice] - Sum[Of.Uses[I - 1].Slice];
        const double AtFast = double(U.Number), AtSlow = Ratio * AtFast,
                     SlowAll = std::min(AtSlow, AtFast + 2 * Copy);
        const double FastFast = Fast + AtFast, SlowFast = Slow + Copy + AtFast,
                     FastSlow = Fast + Copy + AtFast, SlowSlow = Slow + SlowAll;
        Way.push_back({{FastSlow < SlowSlow, FastFast <= SlowFast}});
        Fast = std::min(FastFast, SlowFast);
        Slow = std::min(FastSlow, SlowSlow);
      }
      Cost += std::min(Fast, Slow);
      bool IsFast = Fast <= Slow;
      for (size_t I = Of.Uses.size(); I-- > 0;) {
        IsFast = Way[I].FromFast[IsFast];
        if (I && IsFast)
          for (uint32_t S = Of.Uses[I - 1].Slice; S < Of.Uses[I].Slice; ++S)
            Used[S] += 1;
      }
    }
    Cost -= double(FastPages) * Sum[Slices];
    Best = std::max(Best, Cost);
    // Polyak's step towards a guess a little above the best bound so far.
    double Norm = 0;
    for (uint32_t S = 0; S < Slices; ++S) {
      const double Over = Used[S] - double(FastPages);
      if (Over > 0 || Price[S] > 0)
        Norm += Over * Over;
    }
    if (!Norm)
      break;
    const double Goal =
        Best + (double(Accesses) * Ratio - Best) * 0.3 / (1 + Round);
    Step = (Goal - Cost) / Norm;
    for (uint32_t S = 0; S < Slices; ++S)
      Price[S] = std::max(0.0, Price[S] + Step * (Used[S] - double(FastPages)));
  }
  return Best;
}

} // namespace kst
