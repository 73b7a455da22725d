// SPDX-License-Identifier: GPL-2.0-or-later
//
// What to expect of a frequency that was estimated from source, where the same
// estimates of other functions were held against counts
// (docs/design/measured.md, "Code that no counter could see").

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace kst {

struct RateRegression {
  double Slope = 1, Offset = 0; ///< of ln count over ln estimate
  double Spread = 0;            ///< standard deviation of the rest

  /// Mean of the lognormal that the regression leaves, at most the estimate
  /// itself; same unit as the estimate, >= 0.
  double expected(double Estimate) const {
    if (!(Estimate > 0))
      return 0;
    return std::min(Estimate, std::exp(Offset + Slope * std::log(Estimate) +
                                       Spread * Spread / 2));
  }
  /// The same for estimates and counts that are both Factor times as large.
  RateRegression scaled(double Factor) const {
    return {Slope, Offset + (1 - Slope) * std::log(Factor), Spread};
  }
};

/// Of code that no counter could see.
struct UnseenRates {
  RateRegression Called;       ///< mostly called by code that was counted
  RateRegression Guessed;      ///< else: all that is known is the source
  std::vector<bool> ByCounted; ///< by FunctionId: Called holds; empty: for none

  /// Of calls of a function.
  double expected(size_t Function, double Calls) const {
    return (!ByCounted.empty() && ByCounted[Function] ? Called : Guessed)
        .expected(Calls);
  }
};

} // namespace kst
