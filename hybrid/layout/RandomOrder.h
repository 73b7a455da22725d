// SPDX-License-Identifier: GPL-2.0-or-later
//
// A random order that obeys every rule: what a user's own tests judge.

#pragma once

#include "hybrid/layout/LayoutProblem.h"

#include <cstdint>

namespace kst {

/// A legal order that meets all demands, reached from the declared one by
/// random moves of move units; the record may grow. The declared one if nothing
/// may move. Same problem and seed, same order, on every machine.
MoveUnitOrder randomOrder(const LayoutProblem &Problem, uint64_t Seed);

} // namespace kst
