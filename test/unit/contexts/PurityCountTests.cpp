// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/PurityCount.h"

#include <gtest/gtest.h>

namespace {

using namespace kst;

/// Contexts of objects that fill slabs of four, one slab after another.
Purity purityOf(const std::vector<uint32_t> &Contexts) {
  PurityCount Now;
  for (size_t I = 0; I < Contexts.size(); ++I)
    Now.object(4096 * (I / 4), 4096, 0, 4096 * (I / 4) + I % 4 * 1024,
               Contexts[I]);
  std::vector<Purity> Types(1);
  Now.addTo(Types);
  return Types[0];
}

TEST(PurityCount, OneContextAloneIsPure) {
  const Purity P = purityOf({7, 7, 7, 7, 7, 7, 7, 7});
  EXPECT_EQ(P.Slabs, 2u);
  EXPECT_EQ(P.Pure, 2u);
  EXPECT_EQ(P.mean(), 1);
  EXPECT_EQ(P.chance(), 1);
}

TEST(PurityCount, TwoInTurnsAreHalfPure) {
  const Purity P = purityOf({1, 2, 1, 2, 2, 1, 2, 1});
  EXPECT_EQ(P.mean(), 0.5);
  EXPECT_EQ(P.Pure, 0u);
}

TEST(PurityCount, ObjectsOfNoContextShareWithNone) {
  const Purity P = purityOf({0, 0, 0, 1});
  EXPECT_EQ(P.mean(), 0.25);
  EXPECT_EQ(P.Known, 1u);
}

TEST(PurityCount, ASlabWithOneObjectSaysNothing) {
  EXPECT_EQ(purityOf({3}).Slabs, 0u);
}

TEST(PurityCount, SegregatedContextsArePurerThanByChance) {
  std::vector<uint32_t> Contexts;
  for (uint32_t I = 0; I < 400; ++I)
    Contexts.push_back(1 + I / 40);
  const Purity P = purityOf(Contexts);
  EXPECT_EQ(P.mean(), 1);
  EXPECT_LT(P.chance(), 0.5);
}

} // namespace
