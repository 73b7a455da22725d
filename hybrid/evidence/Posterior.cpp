// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/Posterior.h"

#include <algorithm>
#include <cmath>

namespace kst {

double rate(const Counted &Seen, double Guess, double Sigma, double Unit) {
  if (!(Guess > 0) || !std::isfinite(Sigma))
    return Seen.Value;
  double C = Seen.events(), U = Seen.Value > 0 ? Seen.unit() : Unit;
  double Precision = 1 / (Sigma * Sigma), M = std::log(Guess / U);
  // g(y) = exp(y) - c + (y - m) / sigma^2 rises; its root lies between the
  // logarithms of guess and count. From a y with g >= 0 Newton's method comes
  // down to it, since g is convex.
  double Y = std::max(M, C > 0 ? std::log(C) : M);
  for (int Round = 0; Round < 200; ++Round) {
    double E = std::exp(Y);
    double Step = (E - C + (Y - M) * Precision) / (E + Precision);
    Y -= Step;
    if (std::fabs(Step) < 1e-13 * (1 + std::fabs(Y)))
      break;
  }
  return U * std::exp(Y);
}

Interval rateInterval(double Mode, double Unit, double Sigma) {
  double Precision =
      Mode / Unit + (std::isfinite(Sigma) ? 1 / (Sigma * Sigma) : 0);
  if (!(Precision > 0))
    return {0, 0};
  double Factor = std::exp(1.96 / std::sqrt(Precision));
  return {Mode / Factor, Mode * Factor};
}

double perCall(double Hits, double Calls, double Guess, double Strength) {
  double Sum = Strength + Calls;
  return Sum > 0 ? (Strength * Guess + Hits) / Sum : Guess;
}

Scale estimateScale(std::span<const GuessAndCount> Pairs) {
  Scale Found;
  Found.Sigma = 2;
  double Sum = 0, Mean = 0;
  for (const GuessAndCount &P : Pairs)
    if (P.Guess > 0 && P.Events > 0) {
      double W = P.Events / (P.Events + 1);
      Sum += W;
      Mean += W * std::log(P.Value / P.Guess);
      ++Found.Pairs;
    }
  if (!Found.Pairs)
    return Found;
  Mean /= Sum;
  Found.Factor = std::exp(Mean);
  double Spread = 0;
  for (const GuessAndCount &P : Pairs)
    if (P.Guess > 0 && P.Events > 0) {
      double W = P.Events / (P.Events + 1);
      double Off = std::log(P.Value / P.Guess) - Mean;
      Spread += W * (Off * Off - 1 / P.Events);
    }
  // With few pairs their spread says little: two more at 2.
  double Variance = (std::max(0.0, Spread) + 2 * 4) / (Sum + 2);
  Found.Sigma = std::clamp(std::sqrt(Variance), 1.0, 4.0);
  return Found;
}

RateRegression regression(std::span<const GuessAndCount> Pairs) {
  struct Point {
    double Guess, Seen, Weight;
  };
  std::vector<Point> Points;
  double Sum = 0, X = 0, Y = 0;
  for (const GuessAndCount &P : Pairs)
    if (P.Guess > 0 && P.Events > 0) {
      const double W = P.Events / (P.Events + 1);
      Points.push_back({std::log(P.Guess), std::log(P.Value), W});
      Sum += W;
      X += W * Points.back().Guess;
      Y += W * Points.back().Seen;
    }
  if (Points.size() < 30)
    return {};
  X /= Sum;
  Y /= Sum;
  double OfGuess = 0, Both = 0, OfSeen = 0;
  for (const Point &P : Points) {
    OfGuess += P.Weight * (P.Guess - X) * (P.Guess - X);
    Both += P.Weight * (P.Guess - X) * (P.Seen - Y);
    OfSeen += P.Weight * (P.Seen - Y) * (P.Seen - Y);
  }
  RateRegression Found;
  // Estimates that are all the same tell nothing apart.
  Found.Slope = OfGuess > 1e-9 * Sum ? std::clamp(Both / OfGuess, 0.0, 1.0) : 0;
  Found.Offset = Y - Found.Slope * X;
  Found.Spread = std::sqrt(
      std::max(0.0, OfSeen - Found.Slope * (2 * Both - Found.Slope * OfGuess)) /
      Sum);
  return Found;
}

double unreachedShare(double Workloads, double Strength) {
  return Strength > 0 ? Strength / (Strength + Workloads) : 0;
}

double unreachedPart(double Workloads, double Strength, double AtMost) {
  return Strength > 0 ? AtMost * unreachedShare(Workloads, Strength) /
                            unreachedShare(1, Strength)
                      : 0;
}

double factorToPart(double Rest, double Part, double AtMost) {
  if (!(Rest > 0) || !(Part > 0) || AtMost >= 1)
    return 1;
  return std::min(1.0, AtMost / (1 - AtMost) * Rest / Part);
}

double unreachedFactor(double Ran, double Unreached, double Workloads,
                       double Strength, double AtMost) {
  return std::min(
      unreachedShare(Workloads, Strength),
      factorToPart(Ran, Unreached, unreachedPart(Workloads, Strength, AtMost)));
}

} // namespace kst
