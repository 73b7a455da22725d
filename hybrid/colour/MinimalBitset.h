// SPDX-License-Identifier: GPL-2.0-or-later
//
// A set of numbers below some bound, of which the least is found at once.

#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace kst {

/// Bits in words, above them a bit for each word that has any, and so on. All
/// takes O(log bound) to the base of 64; memory is a bit a number and a little.
class MinimalBitset {
public:
  static constexpr uint32_t None = ~0u;

  explicit MinimalBitset(uint32_t Bound = 1) {
    do {
      Bound = (Bound + 63) / 64;
      Levels.emplace_back(Bound);
    } while (Bound > 1);
  }
  void add(uint32_t Number) {
    for (auto &Words : Levels) {
      uint64_t &Word = Words[Number / 64];
      const bool Any = Word;
      Word |= uint64_t(1) << Number % 64;
      if (Any)
        return;
      Number /= 64;
    }
  }
  void remove(uint32_t Number) {
    for (auto &Words : Levels) {
      uint64_t &Word = Words[Number / 64];
      Word &= ~(uint64_t(1) << Number % 64);
      if (Word)
        return;
      Number /= 64;
    }
  }
  /// None: the set is empty.
  uint32_t least() const {
    if (!Levels.back()[0])
      return None;
    uint32_t Out = 0;
    for (auto Words = Levels.rbegin(); Words != Levels.rend(); ++Words)
      Out = Out * 64 + uint32_t(std::countr_zero((*Words)[Out]));
    return Out;
  }

private:
  std::vector<std::vector<uint64_t>> Levels; ///< the lowest first
};

} // namespace kst
