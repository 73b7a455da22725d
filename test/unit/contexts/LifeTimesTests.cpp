// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/LifeTimes.h"

#include <gtest/gtest.h>

namespace {

using namespace kst;

TEST(LifeTimes, TheMedianOfWhatEnded) {
  LifeTimes L;
  for (uint64_t Time : {8, 16, 32, 64, 128})
    L.ended(Time);
  EXPECT_DOUBLE_EQ(*L.quantile(0.5), 32);
}

// Kaplan and Meier by hand: 10 at risk, 4 end at 16: 0.6 live; 3 were seen
// until 32 only; of the 3 that are left 2 end at 64: 0.6 / 3 = 0.2 live.
TEST(LifeTimes, WhatLivesOnCountsAsLongAsItWasSeen) {
  LifeTimes L;
  for (int I = 0; I < 4; ++I)
    L.ended(16);
  for (int I = 0; I < 3; ++I)
    L.lives(32);
  for (int I = 0; I < 2; ++I)
    L.ended(64);
  L.lives(128);
  EXPECT_DOUBLE_EQ(*L.quantile(0.4), 16);
  EXPECT_DOUBLE_EQ(*L.quantile(0.5), 64);
  EXPECT_DOUBLE_EQ(*L.quantile(0.8), 64);
  EXPECT_FALSE(L.quantile(0.9));
  constexpr unsigned Doubling = LifeTimes::PerDoubling;
  EXPECT_DOUBLE_EQ(L.outliving(5 * Doubling - 1), 0.6); // up to 32
  EXPECT_DOUBLE_EQ(L.outliving(7 * Doubling - 1), 0.2); // up to 128
  EXPECT_DOUBLE_EQ(L.outliving(LifeTimes::Bins - 1), 0.2);
}

TEST(LifeTimes, ABinIsOffByLittle) {
  for (uint64_t Time : {3ull, 1000ull, 123456789ull}) {
    LifeTimes L;
    L.ended(Time);
    EXPECT_LE(*L.quantile(0.5), double(Time));
    EXPECT_GT(*L.quantile(0.5), double(Time) * 8 / 9 - 1);
  }
}

TEST(LifeTimes, NobodyLivedNobodyKnows) {
  EXPECT_FALSE(LifeTimes().quantile(0.5));
}

} // namespace
