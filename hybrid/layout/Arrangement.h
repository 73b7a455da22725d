// SPDX-License-Identifier: GPL-2.0-or-later
//
// A legal order of move units out of what a method wishes, for methods that
// know no rules.

#pragma once

#include "hybrid/layout/SearchSpace.h"

#include <cstdint>
#include <vector>

namespace kst {

enum class Filling {
  None, ///< groups follow each other directly
  Lines ///< a group that does not fit into what is left of a line starts a new
        ///< one; cold move units fill the hole as far as they fit
};

/// The order in which each segment of the space has its move units as they come
/// in `Groups`, in sequence, those in no group behind them in declared order.
/// Anchors are moved like others, then trade places so that they keep their
/// order; move units that part runs of bit-fields come forward where two runs
/// would meet. MoveUnits in `Groups` that are immovable fields, or come twice,
/// are ignored.
MoveUnitOrder arranged(const SearchSpace &Space,
                       const std::vector<std::vector<uint32_t>> &Groups,
                       Filling How = Filling::None);

} // namespace kst
