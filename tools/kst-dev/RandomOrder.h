// SPDX-License-Identifier: GPL-2.0-or-later
//
// Legal orders by chance, the same on every machine: for tests of what rewrites
// definitions.

#ifndef KST_TOOLS_KSTDEV_RANDOMORDER_H
#define KST_TOOLS_KSTDEV_RANDOMORDER_H

#include "hybrid/layout/Constraints.h"

#include <cstdint>
#include <vector>

namespace kst {

/// xorshift64*: the same numbers on every machine.
class Chance {
public:
  explicit Chance(uint64_t Seed)
      : State(Seed * 2654435761u + 88172645463325252u) {}
  /// 0 .. N-1, N > 0.
  uint32_t below(uint32_t N) {
    State ^= State >> 12;
    State ^= State << 25;
    State ^= State >> 27;
    return static_cast<uint32_t>((State * 2685821657736338717u) >> 33) % N;
  }

private:
  uint64_t State;
};

/// A legal order of fields. Few: a few bricks are carried about; else every
/// segment is shuffled.
std::vector<uint32_t> randomOrder(const Constraints &Rules, Chance &Dice,
                                  bool Few);

} // namespace kst

#endif
