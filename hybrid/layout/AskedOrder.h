// SPDX-License-Identifier: GPL-2.0-or-later
//
// From an order that an engineer has in mind to an order of move units: a
// question in words (`--what-if`) or a list of fields (`--order`). What the
// order is worth, and which rules it breaks, scoreOf() says.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/layout/LayoutProblem.h"

#include <string>
#include <vector>

namespace kst {

/// The order of move units that `Question` makes of the declared order:
///
///   move A[, B ...] after|before C
///   move A[, B ...] first|last       (or: to the front, to the end)
///   swap A and B
///
/// and several of these, one after the other, joined by ";" or "and". `last`
/// is before a flexible array, as in --pin. Fields that cannot be parted move
/// together. A permutation of all move units, legal or not. `Notes`, if given,
/// gets sentences about what the words leave open: what else moved along. The
/// error says which word is wrong and what was expected.
Result<MoveUnitOrder> askedOrder(const LayoutProblem &Problem,
                                 const std::string &Question,
                                 std::vector<std::string> *Notes = nullptr);

/// The order of move units that a list of fields stands for: one name a line,
/// blank lines and what follows '#' ignored. The fields listed take, in the
/// order of the list, the places that they hold together in the declared order;
/// others stay. A list that starts with '{' is JSON: a report (its proposed
/// order) or
/// {"order": [names]}. Fails, naming `Name` and the line, for a name that is
/// unknown or twice there, and for an order that parts a move unit. `Notes` as
/// above.
Result<MoveUnitOrder> orderFromText(const LayoutProblem &Problem,
                                    const std::string &Text,
                                    const std::string &Name,
                                    std::vector<std::string> *Notes = nullptr);

} // namespace kst
