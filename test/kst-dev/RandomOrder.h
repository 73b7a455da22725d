// SPDX-License-Identifier: GPL-2.0-or-later
//
// Legal orders by chance, the same on every machine: for tests of what rewrites
// definitions.

#pragma once

#include "hybrid/layout/Constraints.h"

#include <cstdint>
#include <random>
#include <vector>

namespace kst {

/// The same numbers on every machine.
using Chance = std::mt19937_64;

/// A legal order of fields. Few: a few move units are carried about; else every
/// segment is shuffled.
std::vector<uint32_t> randomOrder(const Constraints &Rules, Chance &Dice,
                                  bool Few);

} // namespace kst
