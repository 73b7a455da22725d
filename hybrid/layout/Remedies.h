// SPDX-License-Identifier: GPL-2.0-or-later
//
// What helps where an order does not: a field, or some that are written
// together, on a line of their own, by an alignment, for bytes of every object.

#pragma once

#include "hybrid/layout/LayoutProblem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kst {

/// Another CPU arrives during each hold of a lock that is waited for: where a
/// lock is said to be contended and nobody said how much.
inline constexpr double ContendedArrivals = 1; ///< a judgement

/// Of the order: fields whose own line saves at least KeepBelow of what the
/// order costs, most first, at most three; behind them locks beside fields that
/// their holders use, where that holds if CPUs wait for them, at most two. In
/// front of both what saves more than any one field: several of a line that
/// share one, as long as each adds a tenth. That objects begin on a line is a
/// remedy of its own, and another one has to save a tenth more than it. Each is
/// priced alone: they are alternatives. None of objects with one user, of
/// unions, packed records and such with a flexible array, of members of
/// anonymous structs, and of fields that may not move or are aligned to a line
/// already.
std::vector<Remedy> remedies(const LayoutProblem &Problem,
                             std::span<const uint32_t> Order);

} // namespace kst
