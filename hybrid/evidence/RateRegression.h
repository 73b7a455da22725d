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
};

} // namespace kst
