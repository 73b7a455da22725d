// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/MinimalBitset.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace kst;

namespace {

TEST(MinimalBitset, EqualsAnOrderedSet) {
  for (uint32_t Bound : {1u, 63u, 64u, 65u, 4096u, 4097u, 300000u}) {
    MinimalBitset Set(Bound);
    std::set<uint32_t> Want;
    std::mt19937 Chance(Bound);
    EXPECT_EQ(Set.least(), MinimalBitset::None);
    for (unsigned Step = 0; Step < 4000; ++Step) {
      const uint32_t Number = Chance() % Bound;
      if (Chance() % 2) {
        Set.add(Number);
        Want.insert(Number);
      } else if (!Want.empty()) {
        const uint32_t Gone = Chance() % 2 ? *Want.begin() : Number;
        Set.remove(Gone);
        Want.erase(Gone);
      }
      ASSERT_EQ(Set.least(),
                Want.empty() ? MinimalBitset::None : *Want.begin());
    }
  }
}

} // namespace
