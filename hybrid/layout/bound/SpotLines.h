// SPDX-License-Identifier: GPL-2.0-or-later
//
// What visits to places in fields larger than a line cost at least, wherever
// these fields begin.

#pragma once

#include "hybrid/affinity/LayoutCost.h"

namespace kst {

/// Bytes that every possible address of the field is a multiple of; at most a
/// line.
uint64_t addressStep(const FieldInfo &Field, const LayoutCost &Model);

/// Lines that lie within large fields hold nothing else in any order. What
/// they cost, but for the touches of the fields' own starts, comes on top of
/// what the rest of the record costs: visits and sharing. Of no union.
double insideCost(const RecordInfo &Record, const LayoutCost &Model);

/// Expected lines that one visit of distinct set S touches in the large field
/// in which it touches most, those at its ends included.
double leastSpotLines(const RecordInfo &Record, const LayoutCost &Model,
                      size_t S);

} // namespace kst
