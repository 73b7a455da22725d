// SPDX-License-Identifier: GPL-2.0-or-later
//
// The demands of a unit whose code does not count: a file that is compiled
// only to print where fields lie says nothing about how they are used.

#pragma once

#include "hybrid/facts/Facts.h"

namespace kst {

/// The unit with its demands and the records that these name, those held by
/// value included, and nothing else. In a program of other units it adds no
/// function and no access.
TuFacts demandsOnly(const TuFacts &Unit);

} // namespace kst
