// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sets of a cache in which a stretch of accesses uses more lines than there are
// ways, and the types that meet there.

#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace kst {

class CrowdedSets {
public:
  /// A window ends with WindowLines different lines.
  CrowdedSets(uint64_t Sets, unsigned Ways, uint64_t WindowLines)
      : Excess(Sets), Heat(Sets), Ways(Ways), WindowLines(WindowLines) {}

  void access(uint64_t Set, uint64_t Line, uint32_t Type);
  /// What was used since the last end is judged.
  void endWindow();

  uint64_t windows() const { return Windows; }
  /// By set: lines beyond the ways, summed over windows.
  std::vector<uint64_t> Excess;
  /// By set: accesses to others than the most used lines for which there are
  /// ways, likewise.
  std::vector<uint64_t> Heat;
  /// By set and type: accesses in windows in which it was crowded.
  std::map<uint64_t, std::map<uint32_t, uint64_t>> TypesOf;
  /// By pair of types, the lower one first: accesses of the one that has fewer;
  /// of one type, those to its second line.
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> Meetings;

private:
  struct LineUse {
    uint64_t Set, Line;
    uint32_t Type;
    bool operator<(const LineUse &B) const {
      return std::tie(Set, Line, Type) < std::tie(B.Set, B.Line, B.Type);
    }
  };
  using Window = std::map<LineUse, uint64_t>; ///< accesses
  /// Of one set.
  void judge(Window::const_iterator Begin, Window::const_iterator End);

  unsigned Ways;
  uint64_t WindowLines, LinesInWindow = 0, Windows = 0;
  Window Used;
};

} // namespace kst
