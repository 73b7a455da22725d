// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/MissSaving.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

CoAccessSet visits(double Weight, double Measured, double Reference) {
  CoAccessSet Set;
  Set.Weight = Weight;
  Set.From.MeasuredShare = Measured;
  Set.From.ReferenceShare = Reference;
  return Set;
}

TEST(MissSaving, SaysWhereMostOfTheWeightComesFrom) {
  AffinityEvidence E;
  E.Sets = {visits(10, 0, 0), visits(9, 0, 1)};
  EXPECT_EQ(basisOf(E), Basis::Source);
  E.Sets.push_back(visits(2, 1, 0));
  EXPECT_EQ(basisOf(E), Basis::Reference);
  E.Sets.push_back(visits(20, 1, 0));
  EXPECT_EQ(basisOf(E), Basis::Measured);
}

TEST(MissSaving, CountsWithoutSourceAreMeasured) {
  AffinityEvidence E;
  E.Covered.Dynamic = true;
  E.Sets = {visits(1, 0, 0)};
  EXPECT_EQ(basisOf(E), Basis::Measured);
  E.Covered.Static = true;
  EXPECT_EQ(basisOf(E), Basis::Source);
}

TEST(MissSaving, AnIntervalAroundLessThanWasPromised) {
  for (Basis From : {Basis::Source, Basis::Reference, Basis::Measured}) {
    double Before = -1;
    for (double Gain : {0.05, 0.2, 0.5, 0.9}) {
      const MissSaving Of = missSaving(Gain, From);
      EXPECT_LT(Of.Low, Of.Middle);
      EXPECT_LT(Of.Middle, Of.High);
      EXPECT_LT(Of.High, 1);
      EXPECT_LE(Of.Middle, Gain);
      EXPECT_GE(Of.Middle, Before); // who promises more keeps no less
      Before = Of.Middle;
      // As many times more misses as fewer, around the middle.
      EXPECT_NEAR((1 - Of.Low) * (1 - Of.High),
                  (1 - Of.Middle) * (1 - Of.Middle), 1e-12);
    }
  }
}

TEST(MissSaving, NothingIsSaidOfWhatIsKept) {
  AffinityEvidence E;
  Advice Of;
  Of.ObjectiveNow = 10;
  Of.ObjectiveNew = 8;
  Of.What = Verdict::Keep;
  EXPECT_FALSE(missSaving(Of, E));
  Of.What = Verdict::Reorder;
  ASSERT_TRUE(missSaving(Of, E));
  EXPECT_DOUBLE_EQ(missSaving(Of, E)->Low, missSaving(0.2, Basis::Source).Low);
  Of.ObjectiveNew = 10; // only a demand was met
  EXPECT_FALSE(missSaving(Of, E));
}

} // namespace
