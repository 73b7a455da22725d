// SPDX-License-Identifier: GPL-2.0-or-later
//
// The formulas by which a guess and a count become one number with an interval
// (docs/design/measured.md). Pure; no state.

#pragma once

#include "hybrid/core/EvidenceOrigin.h"
#include "hybrid/evidence/RateRegression.h"

#include <span>

namespace kst {

/// Events seen: a sum of Poisson counts with factors. Value = sum a c,
/// Variance = sum a^2 c; of a plain count both are the count.
struct Counted {
  double Value = 0;
  double Variance = 0;
  void add(double Count, double Factor) {
    Value += Factor * Count;
    Variance += Factor * Factor * Count;
  }
  /// How many plain events tell as much: Value^2 / Variance.
  double events() const { return Variance > 0 ? Value * Value / Variance : 0; }
  /// Value of one of them; 1 where nothing was counted.
  double unit() const { return Value > 0 ? Variance / Value : 1; }
};

/// How often something happens, where the guess is wrong by a factor whose
/// logarithm is normal with standard deviation Sigma (natural) and the count is
/// Poisson: the x that solves
///     c - x/u = (ln x - ln Guess) / Sigma^2,    c = events, u = unit
/// the mode of the posterior of ln x. Guess <= 0 or an infinite Sigma: no
/// prior, the count itself. Nothing counted: Unit is the value of one event.
double rate(const Counted &Seen, double Guess, double Sigma, double Unit = 1);

/// 95 % of a rate's posterior, by Laplace's approximation at its mode: factor
/// exp(+-1.96 / sqrt(x/u + 1/Sigma^2)).
Interval rateInterval(double Mode, double Unit, double Sigma);

/// Executions of a block per call: prior Gamma(Strength * Guess, Strength),
/// Hits among Calls: (Strength * Guess + Hits) / (Strength + Calls). For a
/// block that runs at most once per call it is the mean of the Beta posterior
/// as well. Guess itself where there is neither strength nor call.
double perCall(double Hits, double Calls, double Guess, double Strength);

/// The factor between guesses and counts, and how far guesses are off.
struct Scale {
  double Factor = 1;  ///< exp of the weighted mean of ln(count / guess)
  double Sigma = 0;   ///< standard deviation of ln(count / guess), without what
                      ///< chance adds to counts; within [1, 4]
  uint32_t Pairs = 0; ///< seen by both
};
struct GuessAndCount {
  double Guess = 0;
  double Events = 0; ///< > 0 to take part
  double Value = 0;
};
/// Weights are Events / (Events + 1): a single event says little about a
/// logarithm. Without pairs: factor 1, Sigma 2.
Scale estimateScale(std::span<const GuessAndCount> Pairs);

/// What guesses about functions that were counted say about the others: over
/// the pairs, ln count = Offset + Slope ln guess + an error of deviation
/// Spread, by least squares with the weights of estimateScale(). Guesses err by
/// factors, so the highest are mostly too high. Slope within 0 and 1. Fewer
/// than 30 pairs: the guess is all there is.
RateRegression regression(std::span<const GuessAndCount> Pairs);

/// What is left of a guess about code that none of so many workloads reached:
/// Strength / (Strength + Workloads), the rule of succession for "will the next
/// workload reach it".
double unreachedShare(double Workloads, double Strength);

/// What code that was counted and never ran may make of the whole: AtMost after
/// one workload, and after n the smaller part that unreachedShare() has then.
double unreachedPart(double Workloads, double Strength, double AtMost);

/// The factor, at most 1, that brings Part to AtMost (0..1) of itself and Rest.
/// 1 where there is no Rest to compare with.
double factorToPart(double Rest, double Part, double AtMost);

/// The factor for the estimates of code that was counted and never ran: what
/// unreachedShare() leaves, but no more than brings their sum, Unreached, to
/// unreachedPart(). Ran: the sum of what ran, same unit.
double unreachedFactor(double Ran, double Unreached, double Workloads,
                       double Strength, double AtMost);

} // namespace kst
