// SPDX-License-Identifier: GPL-2.0-or-later
//
// MoveUnits by the names that people write for their fields. A name may stand
// for several move units (a field that configurations declare in different
// places), and a move unit for several names (bit-fields side by side); whoever
// turns words into an order has to know both.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/layout/LayoutProblem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

/// `Text` for a message: in quotes, cut when long, without control characters.
std::string quoted(const std::string &Text);

/// Keeps a reference to the problem.
class MoveUnitNames {
public:
  explicit MoveUnitNames(const LayoutProblem &Problem) : Problem(Problem) {}

  /// The fields of that name, ascending: more than one when configurations
  /// declare it in different places. The error offers the nearest name.
  Result<std::vector<uint32_t>> fields(const std::string &Name) const;
  /// Their move units, ascending, each once.
  std::vector<uint32_t> bricksOf(const std::vector<uint32_t> &Fields) const;
  /// Why the fields of a move unit of several lie together, as a phrase.
  std::string bond(uint32_t MoveUnit) const;
  /// "'x' takes 'y', 'z' with it: " and the bond; empty when the move unit has
  /// no field but `Fields`.
  std::string company(uint32_t MoveUnit,
                      const std::vector<uint32_t> &Fields) const;

private:
  const LayoutProblem &Problem;
};

} // namespace kst
