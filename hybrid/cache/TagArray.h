// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tags of one cache: sets of lines, the least recently used of which makes
// room.

#pragma once

#include "hybrid/cache/CacheGeometry.h"
#include "hybrid/cache/LineTable.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace kst {

/// A line is in the set that its number modulo the number of sets names. Each
/// line has one mark, false when the line comes in, which means what the owner
/// wants.
///
/// This is a view: it does not own the words, and copies see the same sets. A
/// loop over many accesses keeps a copy of its own, in registers.
class TagSets {
public:
  /// What a touch did: whether the line was there, and the line that had to go
  /// for it, or NoLine.
  struct Touch {
    bool Hit;
    uint64_t Victim;
  };

  /// The line becomes the most recently used of its set, and comes in if it is
  /// absent.
  Touch touch(uint64_t Line) const {
    switch (Ways) { // loops of a known length are twice as fast
    case 8:
      return touchIn<8>(setOf(Line), Line);
    case 12:
      return touchIn<12>(setOf(Line), Line);
    case 16:
      return touchIn<16>(setOf(Line), Line);
    default:
      return touchIn<0>(setOf(Line), Line);
    }
  }

  /// Are sets found by a mask, and how many ways has each?
  bool hasMask() const { return PowerOfTwo; }
  unsigned ways() const { return Ways; }
  /// touch() if hasMask(), for loops over many accesses. `Known`: ways(), or 0.
  template <unsigned Known> bool touchMasked(uint64_t Line) const {
    uint64_t *Set = Entries + (Line & (Sets - 1)) * (Known ? Known : Ways);
    return Set[0] >> 1 == Line || touchIn<Known>(Set, Line).Hit;
  }

  /// Is it the most recently used of its set? If `Marked`: with its mark?
  bool isFirst(uint64_t Line, bool Marked) const {
    return (setOf(Line)[0] | !Marked) == (Line << 1 | 1);
  }

  bool contains(uint64_t Line) const { return wayOf(Line) < Ways; }

  /// Nothing happens if the line is absent.
  void mark(uint64_t Line, bool Marked) const {
    if (unsigned Way = wayOf(Line); Way < Ways)
      setOf(Line)[Way] = Line << 1 | Marked;
  }

  /// Nothing happens if the line is absent; else a way is free.
  void remove(uint64_t Line) const {
    uint64_t *Set = setOf(Line);
    if (unsigned Way = wayOf(Line); Way < Ways) {
      std::copy(Set + Way + 1, Set + Ways, Set + Way);
      Set[Ways - 1] = Nothing;
    }
  }

  /// Calls Take(line) for each line that is there, by set.
  template <typename F> void forEach(F &&Take) const {
    for (uint64_t I = 0; I < Sets * Ways; ++I)
      if (Entries[I] != Nothing)
        Take(Entries[I] >> 1);
  }

protected:
  TagSets(const CacheShape &Shape, uint64_t *Entries)
      : Ways(Shape.Ways), PowerOfTwo(std::has_single_bit(Shape.Sets)),
        Sets(Shape.Sets), Entries(Entries) {}

  /// A free way; all behind it in the set are free, too.
  static constexpr uint64_t Nothing = NoLine << 1;

private:
  uint64_t *setOf(uint64_t Line) const {
    return Entries + (PowerOfTwo ? Line & (Sets - 1) : Line % Sets) * Ways;
  }
  /// `Ways` if the line is absent.
  unsigned wayOf(uint64_t Line) const {
    const uint64_t *Set = setOf(Line);
    unsigned Way = 0;
    while (Way < Ways && Set[Way] >> 1 != Line)
      ++Way;
    return Way;
  }
  /// `Known`: the number of ways, or 0.
  template <unsigned Known> Touch touchIn(uint64_t *Set, uint64_t Line) const {
    const unsigned Ways = Known ? Known : this->Ways;
    // Each line moves back by one way until the wanted one, or the last, is
    // taken out.
    uint64_t Moved = Set[0];
    for (unsigned Way = 1; Way < Ways && Moved >> 1 != Line; ++Way)
      std::swap(Moved, Set[Way]);
    const bool Hit = Moved >> 1 == Line;
    Set[0] = Hit ? Moved : Line << 1;
    return {Hit, Hit ? NoLine : Moved >> 1};
  }

  uint32_t Ways;
  bool PowerOfTwo;
  uint64_t Sets;
  /// Set after set, the most recently used line first: Line << 1 | mark.
  uint64_t *Entries;
};

/// The tags of one cache and their memory.
class TagArray : public TagSets {
public:
  explicit TagArray(const CacheShape &Shape)
      : TagArray(Shape, std::vector(Shape.lines(), Nothing)) {}
  TagArray(TagArray &&) = default;

private:
  TagArray(const CacheShape &Shape, std::vector<uint64_t> Entries)
      : TagSets(Shape, Entries.data()), Memory(std::move(Entries)) {}

  std::vector<uint64_t> Memory;
};

} // namespace kst
