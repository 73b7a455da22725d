// SPDX-License-Identifier: GPL-2.0-or-later

#include "SmallProfile.h"

#include "hybrid/profile/ProfileCheck.h"
#include "hybrid/profile/ProfileDownsample.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace kst;

namespace {

uint64_t accesses(const Profile &P) {
  uint64_t Sum = 0;
  for (const MeasuredSite &S : P.Sites)
    Sum += S.Count;
  return Sum;
}

TEST(ProfileDownsample, AllIsAll) {
  Profile Thin = downsampleProfile(smallProfile(5), 1, 1),
          Wanted = smallProfile(5);
  Wanted.Text["thinned"] = "1, seed 1";
  EXPECT_TRUE(Thin == Wanted);
}

TEST(ProfileDownsample, SitesCountWhatTheirRegionsRun) {
  // All sites of these are explained by regions, but for `drain` (7 of it).
  for (uint64_t Seed = 0; Seed < 50; ++Seed) {
    Profile Thin = downsampleProfile(smallProfile(1), 0.3, Seed);
    EXPECT_FALSE(checkProfile(Thin));
    uint64_t Region = 0;
    for (const MeasuredRegion &R : Thin.Regions)
      Region = std::max(Region, R.Count);
    for (const MeasuredSite &S : Thin.Sites)
      if (S.Kind == SiteKind::Write) {
        EXPECT_EQ(S.Count, 2 * Region);
      } else if (S.OffsetBytes == 0 && S.SizeBytes == 8) {
        EXPECT_EQ(S.Count, Region);
      } else {
        EXPECT_LE(S.Count, 7u);
      }
  }
}

TEST(ProfileDownsample, MeanAndVarianceOfABinomial) {
  // 12 samples, 100 executions, 40 and 2 by address: mean and variance over
  // 4000 seeds, within five standard errors.
  const double Keep = 0.2, Seeds = 4000;
  struct Moments {
    double N, Sum = 0, Squares = 0;
  } Of[4] = {{12}, {100}, {40}, {2}};
  for (int Seed = 0; Seed < Seeds; ++Seed) {
    Profile Thin = downsampleProfile(smallProfile(1), Keep, uint64_t(Seed));
    double Region = 0;
    for (const MeasuredRegion &R : Thin.Regions)
      Region = std::max(Region, double(R.Count));
    const double Got[] = {double(Thin.Samples[0].Count), Region,
                          double(Thin.ByAddress[0].Reads),
                          double(Thin.ByAddress[0].Writes)};
    for (int I = 0; I < 4; ++I) {
      Of[I].Sum += Got[I];
      Of[I].Squares += Got[I] * Got[I];
    }
  }
  for (const Moments &M : Of) {
    double Mean = M.Sum / Seeds, Variance = M.Squares / Seeds - Mean * Mean;
    double Wanted = M.N * Keep * (1 - Keep);
    EXPECT_NEAR(Mean, M.N * Keep, 5 * std::sqrt(Wanted / Seeds)) << M.N;
    // Var(s^2) is about 2 V^2 / n, and V / n more for a small binomial.
    EXPECT_NEAR(Variance, Wanted,
                5 * std::sqrt((2 * Wanted * Wanted + Wanted) / Seeds))
        << M.N;
  }
}

TEST(ProfileDownsample, HugeCountsAndSmallShares) {
  Profile P = largeProfile(20, "a", uint64_t(1) << 55);
  Profile Thin = downsampleProfile(P, 1e-9, 3);
  EXPECT_NEAR(double(accesses(Thin)) / (double(accesses(P)) * 1e-9), 1, 0.01);
  EXPECT_EQ(accesses(downsampleProfile(smallProfile(1), 1e-12, 1)), 0u);
}

TEST(ProfileDownsample, RegionsThatSayMoreThanTheSite) {
  Profile P = smallProfile(1);
  for (MeasuredSite &S : P.Sites)
    S.Count = 4;
  for (uint64_t Seed = 0; Seed < 20; ++Seed)
    for (const MeasuredSite &S : downsampleProfile(P, 0.5, Seed).Sites)
      EXPECT_LE(S.Count, 4u);
}

} // namespace
