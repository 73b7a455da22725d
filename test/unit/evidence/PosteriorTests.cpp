// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/Posterior.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <vector>

using namespace kst;

namespace {

Counted plain(double Count) {
  Counted Of;
  Of.add(Count, 1);
  return Of;
}

/// c - x/u - (ln x - ln guess) / sigma^2
double residue(const Counted &Seen, double Unit, double X, double Guess,
               double Sigma) {
  return Seen.events() - X / Unit - std::log(X / Guess) / (Sigma * Sigma);
}

} // namespace

TEST(Posterior, RateSolvesItsEquation) {
  for (double Count : {0.0, 1.0, 7.0, 1e3, 1e9})
    for (double Guess : {1e-6, 0.3, 1.0, 50.0, 1e7})
      for (double Sigma : {1.0, 2.0, 4.0}) {
        double X = rate(plain(Count), Guess, Sigma);
        EXPECT_NEAR(residue(plain(Count), 1, X, Guess, Sigma), 0,
                    1e-9 * (1 + Count + X))
            << Count << " " << Guess << " " << Sigma;
      }
}

TEST(Posterior, RateByHand) {
  // c = 1, guess 1: x = 1 solves 1 - x = ln x / sigma^2.
  EXPECT_NEAR(rate(plain(1), 1, 2), 1, 1e-12);
  // c = 0, sigma = 1, guess = e^2 ... x + ln x = 2: x = 1.5571455989976115.
  EXPECT_NEAR(rate(plain(0), std::exp(2.0), 1), 1.5571455989976115, 1e-12);
}

TEST(Posterior, CountsWinOverGuessesHoweverWrong) {
  EXPECT_NEAR(rate(plain(1000), 1e-6, 2) / 1000, 1, 0.006);
  EXPECT_NEAR(rate(plain(1000), 1e9, 2) / 1000, 1, 0.004);
  EXPECT_NEAR(rate(plain(1e6), 1e-6, 2) / 1e6, 1, 1e-5);
}

TEST(Posterior, RateWithoutPriorIsTheCount) {
  EXPECT_EQ(rate(plain(3), 0, 2), 3);
  EXPECT_EQ(rate(plain(3), 9, std::numeric_limits<double>::infinity()), 3);
}

TEST(Posterior, CountsWithFactorsAreAsSureAsTheEventsBehindThem) {
  Counted Of;
  Of.add(4, 100); // four events, stretched
  EXPECT_EQ(Of.Value, 400);
  EXPECT_EQ(Of.events(), 4);
  EXPECT_EQ(Of.unit(), 100);
  // Four events at guess g are four stretched events at guess 100 g.
  EXPECT_NEAR(rate(Of, 5000, 2), 100 * rate(plain(4), 50, 2), 1e-9);
  Counted Two;
  Two.add(100, 1);
  Two.add(4, 25);
  EXPECT_EQ(Two.Value, 200);
  EXPECT_NEAR(Two.events(), 200.0 * 200 / (100 + 2500), 1e-12);
}

TEST(Posterior, IntervalNarrowsWithCounts) {
  Interval Few = rateInterval(10, 1, 2), Many = rateInterval(1000, 1, 2);
  EXPECT_NEAR(Few.High / 10, std::exp(1.96 / std::sqrt(10.25)), 1e-12);
  EXPECT_NEAR(10 / Few.Low, std::exp(1.96 / std::sqrt(10.25)), 1e-12);
  EXPECT_LT(Many.High / Many.Low, 1.14);
}

TEST(Posterior, PerCallIsTheMeanOfGammaAndBeta) {
  // Beta(2 * 0.25, 2 * 0.75) and 7 of 10: (0.5 + 7) / 12.
  EXPECT_DOUBLE_EQ(perCall(7, 10, 0.25, 2), 7.5 / 12);
  // A loop: 30 runs in 10 calls, guess 2.
  EXPECT_DOUBLE_EQ(perCall(30, 10, 2, 2), 34.0 / 12);
  EXPECT_DOUBLE_EQ(perCall(0, 998, 0.5, 2), 1.0 / 1000); // never hit
  EXPECT_DOUBLE_EQ(perCall(0, 0, 0.5, 2), 0.5);          // never entered
  EXPECT_DOUBLE_EQ(perCall(0, 0, 0.5, 0), 0.5);
}

TEST(Posterior, ScaleIsTheWeightedMeanOfLogarithms) {
  std::vector<GuessAndCount> Pairs = {
      {1, 99, 99}, {2, 99, 198}, {4, 99, 396}, {0, 50, 50}, {3, 0, 0}};
  Scale Found = estimateScale(Pairs);
  EXPECT_EQ(Found.Pairs, 3u);
  EXPECT_NEAR(Found.Factor, 99, 1e-9);
  // No spread at all: two pseudo-pairs at 2: sqrt(8 / (3 * 0.99 + 2)).
  EXPECT_NEAR(Found.Sigma, std::sqrt(8 / (3 * 0.99 + 2)), 1e-9);
  EXPECT_EQ(estimateScale({}).Factor, 1);
  EXPECT_EQ(estimateScale({}).Sigma, 2);
}

TEST(Posterior, RegressionIsThatOfLogarithms) {
  std::vector<GuessAndCount> Pairs;
  for (int I = 1; I <= 40; ++I) {
    const double Guess = I * I;
    Pairs.push_back({Guess, 1e9, std::exp(1) * I}); // ln 1 + ln(guess) / 2
  }
  const RateRegression Found = regression(Pairs);
  EXPECT_NEAR(Found.Slope, 0.5, 1e-6);
  EXPECT_NEAR(Found.Offset, 1, 1e-6);
  EXPECT_NEAR(Found.Spread, 0, 1e-3);
  EXPECT_NEAR(Found.expected(10000), std::exp(1) * 100, 0.1);
  EXPECT_EQ(Found.expected(0.01), 0.01) << "never more than estimated";
  EXPECT_EQ(Found.expected(0), 0);
}

TEST(Posterior, EstimatesThatAreAllTheSameTellNothingApart) {
  std::vector<GuessAndCount> Pairs;
  for (int I = 1; I <= 40; ++I)
    Pairs.push_back({1e-3 / 3, 1e9, double(I)});
  EXPECT_EQ(regression(Pairs).Slope, 0);
}

TEST(Posterior, APartIsBroughtToAPartOfTheWhole) {
  EXPECT_DOUBLE_EQ(factorToPart(80, 40, 0.2), 0.5);
  EXPECT_EQ(factorToPart(80, 20, 0.2), 1);
  EXPECT_EQ(factorToPart(0, 20, 0.2), 1) << "nothing to compare with";
  EXPECT_EQ(factorToPart(1, 1e9, 1), 1);
}

TEST(Posterior, RegressionExpectsTheMeanOfALognormal) {
  std::vector<GuessAndCount> Pairs;
  for (int I = 0; I != 40; ++I)
    for (const double Error : {-1.0, 1.0})
      Pairs.push_back({double(I + 1), 1e9, 5 * std::exp(Error)});
  const RateRegression Found = regression(Pairs);
  EXPECT_NEAR(Found.Slope, 0, 1e-6);
  EXPECT_NEAR(Found.Spread, 1, 1e-6);
  EXPECT_NEAR(Found.expected(1e6), 5 * std::exp(0.5), 1e-4);
}

TEST(Posterior, RegressionOfFewPairsChangesNothing) {
  const std::vector<GuessAndCount> Pairs(29, {10, 100, 100});
  EXPECT_NEAR(regression(Pairs).expected(1e6), 1e6, 1e-3);
}

TEST(Posterior, UnreachedByMoreWorkloadsWeighsLess) {
  EXPECT_EQ(unreachedShare(0, 2), 1);
  EXPECT_DOUBLE_EQ(unreachedShare(1, 2), 2.0 / 3);
  EXPECT_DOUBLE_EQ(unreachedShare(6, 2), 0.25);
}

TEST(Posterior, CodeThatNeverRanStaysAFewPercent) {
  // Many guesses: 3 % of the whole after one workload, 1 % after seven.
  double Factor = unreachedFactor(970, 1e6, 1, 2, 0.03);
  EXPECT_NEAR(Factor * 1e6 / (970 + Factor * 1e6), 0.03, 1e-12);
  Factor = unreachedFactor(970, 1e6, 7, 2, 0.03);
  EXPECT_NEAR(Factor * 1e6 / (970 + Factor * 1e6), 0.01, 1e-12);
  // Few: what the rule of succession leaves.
  EXPECT_DOUBLE_EQ(unreachedFactor(970, 1, 1, 2, 0.03), 2.0 / 3);
  // Nothing ran: nothing to compare with.
  EXPECT_DOUBLE_EQ(unreachedFactor(0, 10, 1, 2, 0.03), 2.0 / 3);
}
