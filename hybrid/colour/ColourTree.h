// SPDX-License-Identifier: GPL-2.0-or-later
//
// How many free and used pages each colour has, and which colour is next.

#pragma once

#include <cstdint>
#include <vector>

namespace kst {

/// A tree over colours. Updates and searches take O(log colours).
class ColourTree {
public:
  static constexpr uint32_t None = ~0u;

  /// A power of two.
  explicit ColourTree(uint32_t Number = 1);

  uint32_t number() const { return Number; }
  uint32_t used(uint32_t Colour) const { return Used[Colour]; }
  uint32_t free(uint32_t Colour) const { return Free[Colour]; }
  void change(uint32_t Colour, int32_t UsedMore, int32_t FreeMore);

  /// The first colour from From on, and round, that has a free page. None:
  /// there is none.
  uint32_t next(uint32_t From) const;
  /// Of those with a free page one with the fewest used ones; of these the
  /// lowest.
  uint32_t emptiest() const;

private:
  uint32_t firstFrom(uint32_t From) const;
  uint32_t Number;
  std::vector<uint32_t> Used, Free;
  /// By node, the root is 1: least use of a colour with a free page; None.
  std::vector<uint32_t> Least;
};

} // namespace kst
