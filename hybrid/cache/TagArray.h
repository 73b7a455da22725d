// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tags of one cache: sets of lines, the least recently used of which makes
// room.

#ifndef KST_HYBRID_CACHE_TAGARRAY_H
#define KST_HYBRID_CACHE_TAGARRAY_H

#include "hybrid/cache/CacheGeometry.h"
#include "hybrid/cache/LineTable.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace kst {

/// A line is in the set that its number modulo the number of sets names. Each
/// line has one mark, false when the line comes in, which means what the owner
/// wants.
class TagArray {
public:
  explicit TagArray(const CacheShape &Shape)
      : Ways(Shape.Ways), Sets(Shape.Sets),
        Mask(std::has_single_bit(Sets) ? Sets - 1 : 0),
        Entries(Sets * Ways, Nothing) {}

  /// What a touch did: whether the line was there, and the line that had to go
  /// for it, or NoLine.
  struct Touch {
    bool Hit;
    uint64_t Victim;
  };

  /// The line becomes the most recently used of its set, and comes in if it is
  /// absent.
  Touch touch(uint64_t Line) {
    uint64_t *Set = setOf(Line), Moved = Set[0];
    if (Moved >> 1 == Line)
      return {true, NoLine};
    for (unsigned Way = 1; Way < Ways && Moved != Nothing; ++Way) {
      std::swap(Moved, Set[Way]);
      if (Moved >> 1 == Line) {
        Set[0] = Moved;
        return {true, NoLine};
      }
    }
    Set[0] = Line << 1;
    return {false, Moved >> 1};
  }

  /// Is it the most recently used of its set? If `Marked`: with its mark?
  bool isFirst(uint64_t Line, bool Marked) const {
    return (setOf(Line)[0] | !Marked) == (Line << 1 | 1);
  }

  bool contains(uint64_t Line) const { return wayOf(Line) < Ways; }

  /// Nothing happens if the line is absent.
  void mark(uint64_t Line, bool Marked) {
    if (unsigned Way = wayOf(Line); Way < Ways)
      setOf(Line)[Way] = Line << 1 | Marked;
  }

  /// Nothing happens if the line is absent; else a way is free.
  void remove(uint64_t Line) {
    uint64_t *Set = setOf(Line);
    if (unsigned Way = wayOf(Line); Way < Ways) {
      std::copy(Set + Way + 1, Set + Ways, Set + Way);
      Set[Ways - 1] = Nothing;
    }
  }

private:
  /// A free way; all behind it in the set are free, too.
  static constexpr uint64_t Nothing = NoLine << 1;

  const uint64_t *setOf(uint64_t Line) const {
    uint64_t Set = Mask || Sets == 1 ? Line & Mask : Line % Sets;
    return Entries.data() + Set * Ways;
  }
  uint64_t *setOf(uint64_t Line) {
    return const_cast<uint64_t *>(std::as_const(*this).setOf(Line));
  }
  /// `Ways` if the line is absent.
  unsigned wayOf(uint64_t Line) const {
    const uint64_t *Set = setOf(Line);
    unsigned Way = 0;
    while (Way < Ways && Set[Way] >> 1 != Line)
      ++Way;
    return Way;
  }

  const uint32_t Ways;
  const uint64_t Sets, Mask;
  /// Set after set, the most recently used line first: Line << 1 | mark.
  std::vector<uint64_t> Entries;
};

} // namespace kst

#endif
