// SPDX-License-Identifier: GPL-2.0-or-later
//
// The present order with some fields behind all others, on lines of their own:
// what an attribute on the first of them makes of it, and what that is worth.

#pragma once

#include "hybrid/layout/LayoutProblem.h"

#include <string>
#include <vector>

namespace kst {

struct AlignedOrder {
  /// Of objects that begin on a line, as they do then. Notes: rules that the
  /// order breaks, and what else to know.
  OrderScore Score;
  std::vector<Layout> Layouts; ///< one for each configuration
};

/// `Order` has the fields at its end, `First` in front. Name: of the score.
AlignedOrder alignedOrder(const LayoutProblem &Problem,
                          const MoveUnitOrder &Order, uint32_t First,
                          std::string Name);

} // namespace kst
