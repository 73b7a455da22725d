// SPDX-License-Identifier: GPL-2.0-or-later
//
// The cost of one layout, kept up to date as fields move.
//
// A search asks for the prices of many layouts that differ little. A trial
// looks only at sets with a field that changed line: their visits leave the
// lines as they were and join the lines as they would be. Prices of trials
// carry rounding, those of the current layout none: commit() sums up anew.

#pragma once

#include "hybrid/affinity/LayoutCost.h"
#include "hybrid/core/Hash.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace kst {

/// Not safe to share between threads; keeps a reference to the LayoutCost.
class CostState {
public:
  CostState(const LayoutCost &Model, const Layout &Plan);

  /// Total cost if the fields were at these offsets; equals
  /// price().total() of that layout up to rounding.
  double trial(std::span<const uint64_t> OffsetBits, uint64_t SizeBytes);
  /// Adopts the offsets of the last trial.
  void commit();

  /// Exactly LayoutCost::price() of the current layout.
  const Cost &price() const { return Current; }
  double total() const { return Current.total(); }
  /// Elementary steps of the formula so far: a clock that ticks the same on
  /// every machine, and whether a price was computed or remembered.
  uint64_t work() const { return Work; }

private:
  struct Lines {
    uint32_t First = ~0u, Last = 0; ///< First > Last: no line
    bool operator==(const Lines &) const = default;
  };
  /// A line that a set touches: with which probability a visit uses, and
  /// writes, it.
  struct Part {
    uint32_t Line;
    double Use, Write;
  };
  /// The current layout for one start of the instance.
  struct Start {
    std::vector<Part> Parts;       ///< by set, one for each of its lines
    std::vector<size_t> PartBegin; ///< per set, and the end
    std::vector<double> SetLines;  ///< per set: expected lines of a visit
    std::vector<LineUse> Uses;     ///< per line
    std::vector<double> Lost;      ///< per line: the cost of sharing it
    double Shared = 0;             ///< sum of Lost
  };
  /// What a trial changes, before the mean over the starts is taken.
  struct Change {
    double Lines = 0, Shared = 0;
    uint64_t Touches = 0; ///< of the sets that were looked at, all starts
  };

  void findLines(std::span<const uint64_t> OffsetBits);
  template <typename Tell> double visit(size_t S, const Lines *At, Tell Use);
  void sum();
  void sum(Start &Here, const Lines *At);
  Change compare();
  void compare(const Start &Here, const Lines *Old, const Lines *New,
               Change &Sum);

  const LayoutCost &Model;
  const size_t N, K;            ///< extents, starts
  std::vector<Lines> Now, Next; ///< [start * N + extent]
  std::vector<Start> Starts;
  uint64_t SizeBytes = 0, NextSize = 0;
  Cost Current;
  uint64_t Work = 0;
  /// Changes against the current layout, by a hash of Next: moves of what is
  /// not touched, and all that stays within lines, ask for the same again.
  struct LowHalf {
    size_t operator()(const Hash128 &H) const { return H.Low; }
  };
  std::unordered_map<Hash128, Change, LowHalf> Known;
  // Scratch.
  struct LineChance {
    double Untouched = 1, Unwritten = 1; ///< between visits always 1
    bool Seen = false;                   ///< is in Touched
  };
  std::vector<LineChance> Chances; ///< per line
  std::vector<uint32_t> Touched;   ///< lines of one visit
  std::vector<LineUse> Trial;
  std::vector<uint32_t> SetMark; ///< looked at if it equals the epoch
  uint32_t SetEpoch = 0;
};

} // namespace kst
