// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines that visits need for places in fields larger than a line, wherever
// these begin.

#pragma once

#include "hybrid/affinity/LayoutCost.h"

namespace kst {

/// Expected lines of one visit, in any order; of no union.
struct SpotLines {
  /// That lie within large fields: they hold nothing else, so they come on top
  /// of what the rest of the record needs.
  double Inside = 0;
  /// Of the large field that needs most, those at its ends included, which
  /// other fields may share.
  double Alone = 0;
};

/// Of distinct set S.
SpotLines leastSpotLines(const RecordInfo &Record, const LayoutCost &Model,
                         size_t S);

} // namespace kst
