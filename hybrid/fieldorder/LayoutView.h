// SPDX-License-Identifier: GPL-2.0-or-later
//
// A layout as people look at it: which bytes lie on which cache line, where
// the holes are, how hot each line is, and which fields moved.

#pragma once

#include "hybrid/fieldorder/Report.h"

#include <vector>

namespace kst {

/// One field in memory order with the unused bits before it.
struct FieldPlace {
  uint32_t Field = 0;
  uint64_t BeginBits = 0, EndBits = 0;
  uint64_t HoleBits = 0; ///< unused between the end of what is before and here
  /// Of a field larger than a line: bytes from its start, and the share of the
  /// visits to it that go there, most first. Empty: not known.
  std::vector<std::pair<uint32_t, double>> Spots;
};

/// One cache line. A field that spans lines is in Fields of each of them; a
/// field of size zero is on the line of its offset.
struct LineView {
  uint32_t Index = 0;
  std::vector<uint32_t> Fields; ///< in memory order
  double Share = 0; ///< of all accesses; a spanning field's by bytes
};

struct LayoutView {
  /// In memory order, without fields that the configuration does not have.
  std::vector<FieldPlace> Places;
  std::vector<LineView> Lines; ///< every line of the record, from 0
  uint64_t SizeBytes = 0;
  uint64_t PaddingBytes = 0; ///< after the last field
  uint32_t HoleCount = 0;
  uint64_t HoleBits = 0;
};

/// Places, holes and padding only; any record, no lines. A Plan that does not
/// place every field of the record stands for the order of declaration.
LayoutView placesOf(const RecordInfo &Record, const Layout &Plan);

/// The view of Plan for the record of the report.
LayoutView viewOf(const Report &R, const Layout &Plan);
LayoutView currentView(const Report &R);
LayoutView proposedView(const Report &R);

/// Of the visits to a field with spots, those to this part of the record.
double shareWithin(const FieldPlace &P, uint64_t BeginBits, uint64_t EndBits);

/// Fields per line as above, as a lookup: first and last line of each place.
uint32_t firstLine(const FieldPlace &P, uint32_t LineBytes);
uint32_t lastLine(const FieldPlace &P, uint32_t LineBytes);

/// Fewest lines that together have at least Wanted (0..1) of all accesses.
uint32_t linesForShare(const LayoutView &View, double Wanted);

/// Per field, up to the last that both have: whether it moved from the current
/// to the proposed order. The fields that did not are a longest common
/// subsequence, so that no smaller set of moves gives the proposed order.
std::vector<bool> movedFields(const LayoutView &Current,
                              const LayoutView &Proposed);

} // namespace kst
