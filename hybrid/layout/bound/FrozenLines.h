// SPDX-License-Identifier: GPL-2.0-or-later
//
// The lines at the start of a record that are the same in every legal order,
// because immovable fields fill them, and what they cost: a part of the price
// that needs no bound.

#pragma once

#include "hybrid/affinity/LayoutCost.h"
#include "hybrid/layout/Constraints.h"

#include <cstdint>

namespace kst {

struct FrozenLines {
  /// No field moves: Cost is the price of the only order, padding included.
  bool All = false;
  /// Fields that start below this offset, a multiple of the line, are the same
  /// in every legal order, and nothing else reaches below it.
  uint64_t Bits = 0;
  /// What these lines add to the price of every legal order:
  ///   sum over lines L below Bits, c(S_L)     c as in LineProblem.h
  /// with a pair in conflict counted once however many of them it shares. What
  /// the same fields do on later lines is not in it.
  double Cost = 0;
};

/// `Record` states the offsets of the declared order. Where instances need not
/// start on a line there are none (unless All).
FrozenLines frozenLines(const RecordInfo &Record, const LayoutCost &Model,
                        const Constraints &Rules);

} // namespace kst
