// SPDX-License-Identifier: GPL-2.0-or-later

#include "../layout/Records.h"

#include "hybrid/affinity/LifetimeClass.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

CoAccessSet during(Phase When, double Weight, uint32_t Field) {
  CoAccessSet Set = visit(Weight, {touch(Field, 1, 1)});
  Set.When = When;
  return Set;
}

AffinityEvidence someLives() {
  AffinityEvidence E;
  E.Fields.resize(2);
  E.Sets = {during(Phase::Steady, 60, 0), during(Phase::FirstUse, 20, 0),
            during(Phase::SetUp, 5, 1), during(Phase::TearDown, 3, 1),
            during(Phase::Configuration, 7, 0)};
  E.Fields[1].Writes = 8;
  return E;
}

TEST(LifetimeClass, OnlyMakingAndFreeingIsScaled) {
  AffinityEvidence E = someLives();
  E.Sets[2].From.MeasuredShare = 1; // the user knows better
  turnToLives(E, 100);
  EXPECT_DOUBLE_EQ(E.Lives.Before, 10);
  EXPECT_EQ(E.Sets[0].Weight, 60);
  EXPECT_EQ(E.Sets[1].Weight, 20);
  EXPECT_DOUBLE_EQ(E.Sets[2].Weight, 0.5);
  EXPECT_DOUBLE_EQ(E.Sets[3].Weight, 0.3);
  EXPECT_EQ(E.Sets[4].Weight, 7);
  EXPECT_DOUBLE_EQ(E.Fields[1].Writes, 0.8);
}

TEST(LifetimeClass, ShortLivesGiveMakingItsSay) {
  AffinityEvidence E = someLives();
  turnToLives(E, 2);
  EXPECT_DOUBLE_EQ(E.Sets[2].Weight + E.Sets[3].Weight, 40);
}

TEST(LifetimeClass, WithoutLivesThereIsNothingToScale) {
  AffinityEvidence E = someLives();
  E.Sets.resize(2);
  turnToLives(E, 100);
  EXPECT_EQ(E.Lives.Before, 0);
  EXPECT_EQ(E.Sets[0].Weight, 60);
}

} // namespace
