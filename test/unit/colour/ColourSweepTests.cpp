// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/PageReplay.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace kst;

namespace {

ColourReplayOptions options(const char *Cache, PagePolicy Policy,
                            std::vector<double> Sizes) {
  ColourReplayOptions Out;
  Out.Cache = *parseMemoryCache(Cache);
  Out.Policies = {Policy};
  Out.Colours = {Out.Cache.colours(), 0};
  Out.Sizes = std::move(Sizes);
  return Out;
}

std::vector<SweepPoint> fresh(const ColourReplayOptions &Options) {
  return replayFresh((2048ull << 20) / 4096, Options).Policies.front().Sweep;
}

const std::vector<double> SixSizes = {0.5, 1, 1.25, 1.5, 1.75, 2};

TEST(ColourSweep, FreshAndColouredMemoryFollowTheClosedForm) {
  for (PagePolicy Policy : {PagePolicy::Stock, PagePolicy::ColourLists,
                            PagePolicy::ColourTree, PagePolicy::EmptiestBin}) {
    auto Points = fresh(options("64M", Policy, SixSizes));
    ASSERT_EQ(Points.size(), 6u);
    for (const SweepPoint &P : Points)
      EXPECT_NEAR(P.HitShare, contiguousHits(P.WorkingSet), 0.001)
          << spelling(Policy) << " " << P.WorkingSet;
  }
}

TEST(ColourSweep, ChanceFollowsTheClosedForm) {
  for (const SweepPoint &P :
       fresh(options("64M", PagePolicy::Random, SixSizes)))
    EXPECT_NEAR(P.HitShare, std::exp(-P.WorkingSet),
                0.02 * std::exp(-P.WorkingSet) + 0.003);
}

TEST(ColourSweep, EmptiestBinPutsExactlyTwoPagesIntoEachBinAtTwoCaches) {
  auto Points = fresh(options("64M", PagePolicy::EmptiestBin, {2}));
  ASSERT_EQ(Points.size(), 1u);
  EXPECT_EQ(Points[0].MostOfColour, 2u);
  EXPECT_EQ(Points[0].LeastOfColour, 2u);
}

TEST(ColourSweep, ColouringLosesBeyondTheCrossing) {
  EXPECT_NEAR(hitCrossing(), 1.69, 0.05);
  auto Coloured = fresh(options("64M", PagePolicy::ColourLists, {1.6, 1.8}));
  auto Chance = fresh(options("64M", PagePolicy::Random, {1.6, 1.8}));
  EXPECT_GT(Coloured[0].HitShare, Chance[0].HitShare);
  EXPECT_LT(Coloured[1].HitShare, Chance[1].HitShare);
}

TEST(ColourSweep, TwoRatesMix) {
  EXPECT_NEAR(mixedRate(std::exp(-1), 336, 85), 117.2, 0.1);
}

TEST(ColourSweep, ColouredPagesDoNotAgeAndStockPagesDo) {
  ColourReplayOptions Stock = options("64M", PagePolicy::Stock, {0.5, 1});
  Stock.Churn = 1 << 20;
  ColourReplayOptions Lists = options("64M", PagePolicy::ColourLists, {0.5, 1});
  Lists.Churn = 1 << 20;
  auto Aged = fresh(Stock), Coloured = fresh(Lists);
  for (size_t I = 0; I < 2; ++I) {
    EXPECT_LT(Aged[I].HitShare, 0.9);
    EXPECT_GT(Aged[I].HitShare, randomHits(Aged[I].WorkingSet) - 0.02);
    EXPECT_GE(Coloured[I].HitShare, 0.985);
  }
}

TEST(ColourSweep, WaysHelpChance) {
  auto Direct = fresh(options("64M", PagePolicy::Random, {1}));
  auto FourWays = fresh(options("64M/4", PagePolicy::Random, {1}));
  EXPECT_GT(FourWays[0].HitShare, Direct[0].HitShare);
}

TEST(ColourSweep, ReadsSizesAndWays) {
  EXPECT_EQ(parseMemoryCache("16G")->Bytes, uint64_t(16) << 30);
  EXPECT_EQ(parseMemoryCache("17179869184")->Bytes, uint64_t(16) << 30);
  EXPECT_EQ(parseMemoryCache("64M/4")->colours(), 4096u);
  EXPECT_EQ(spelling(*parseMemoryCache("64M/4")), "64M/4");
  for (const char *Wrong :
       {"", "M", "16X", "16GB", "0", "64M/", "64M/0", "64M/x", "64M/65",
        "100000000000G", "100K/3", "16777217T/64", "2T/64"})
    EXPECT_FALSE(parseMemoryCache(Wrong)) << Wrong;
}

TEST(ColourDistance, OfEqualAndOfOtherDistributions) {
  std::vector<uint32_t> Even(64, 100), Half(64, 0);
  for (size_t I = 0; I < 32; ++I)
    Half[I] = 200;
  EXPECT_EQ(colourDistance(Even, Even).ChiSquare, 0);
  EXPECT_EQ(colourDistance(Even, Even).Probability, 1);
  EXPECT_NEAR(colourDistance(Even, Half).Overlap, 0.5, 1e-12);
  EXPECT_LT(colourDistance(Even, Half).Probability, 1e-9);
  // Of two samples of 10 and 20 against 20 and 10: sum of 100/30, twice.
  EXPECT_NEAR(colourDistance({10, 20}, {20, 10}).ChiSquare, 20.0 / 3, 1e-9);
  EXPECT_NEAR(colourDistance({10, 20}, {20, 10}).Probability, 0.0098, 1e-4);
}

} // namespace
