// SPDX-License-Identifier: GPL-2.0-or-later
//
// What more CPUs do to visits, law by law.

#include "../layout/Records.h"

#include "hybrid/affinity/CpuGrowth.h"
#include "hybrid/affinity/Ownership.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

TEST(CpuGrowth, PartOfWhatIsHandedOverMeetsAnotherCpuByChance) {
  EXPECT_DOUBLE_EQ(handedOver(0.1, 2, 2), 0.1);
  EXPECT_DOUBLE_EQ(handedOver(0.12, 2, 4), 0.04 + 0.08 * 2 * 3 / 4);
  EXPECT_DOUBLE_EQ(handedOver(0.12, 2, 128), 0.04 + 0.08 * 2 * 127 / 128);
  EXPECT_DOUBLE_EQ(handedOver(handedOver(0.3, 2, 64), 64, 2), 0.3);
  EXPECT_LE(handedOver(0.9, 2, 128), 1); // the others had most of it
}

TEST(CpuGrowth, LoopsGetLongerWithTheRootOfTheOthers) {
  EXPECT_DOUBLE_EQ(loopGrowth(2, 2), 1);
  EXPECT_DOUBLE_EQ(loopGrowth(2, 17), 4);
  EXPECT_DOUBLE_EQ(loopGrowth(2, 8) * loopGrowth(8, 128), loopGrowth(2, 128));
}

TEST(CpuGrowth, LoopsComeFromEverybodyTheRestFromFew) {
  EXPECT_DOUBLE_EQ(otherCpus(0, 128), Partners);
  EXPECT_DOUBLE_EQ(otherCpus(1, 128), 127);
  EXPECT_DOUBLE_EQ(otherCpus(0.5, 101), 1 / (0.25 / Partners + 0.75 / 100));
  EXPECT_EQ(otherCpus(0, 2), 1); // there is one
}

AffinityEvidence someEvidence() {
  AffinityEvidence E;
  E.Fields.resize(2);
  E.Sets = {visit(100, {touch(0, 1, 1)}, CpuRelation::Local),
            visit(50, {touch(0)}, CpuRelation::Unknown),
            visit(10, {touch(1)}, CpuRelation::Remote)};
  E.Fields[1].Reads = E.Fields[1].RemoteReads = 10;
  return E;
}

TEST(CpuGrowth, OnlyLoopsOverCpusGetLonger) {
  AffinityEvidence E = someEvidence();
  E.Sets[2].From.ReferenceShare = 1;
  turnToCpus(E, 16);
  EXPECT_EQ(E.Sets[0].Weight, 100);
  EXPECT_EQ(E.Sets[1].Weight, 50);
  const double Growth = loopGrowth(ModelCpus, 16);
  EXPECT_GT(Growth, 3);
  EXPECT_DOUBLE_EQ(E.Sets[2].Weight, 10 * Growth);
  EXPECT_DOUBLE_EQ(E.Fields[1].Reads, 10 * Growth);
  EXPECT_DOUBLE_EQ(E.Fields[1].RemoteReads, 10 * Growth);
  EXPECT_DOUBLE_EQ(E.Users.Cpus.LoopsBefore, 10.0 / 160);
  EXPECT_GT(E.Users.Cpus.Loops, E.Users.Cpus.LoopsBefore);
}

TEST(CpuGrowth, TheSourceTakesLoopsToBeLongAlready) {
  AffinityEvidence E = someEvidence();
  turnToCpus(E, uint32_t(LoopCpus));
  EXPECT_DOUBLE_EQ(E.Sets[2].Weight, 10);
  turnToCpus(E = someEvidence(), 2);
  EXPECT_LT(E.Sets[2].Weight, 10);
}

TEST(CpuGrowth, AMeasuredShareIsOfTheCpusThatWereRecorded) {
  AffinityEvidence E = someEvidence();
  E.Users.OthersShare = 0.7;
  E.Covered.Profiles.resize(2);
  E.Covered.Profiles[0].Text["cpus"] = "8";
  E.Covered.Profiles[1].Text["cpus"] = "4, 12";
  E.Sets[2].From.MeasuredShare = 1;
  turnToCpus(E, 64);
  EXPECT_EQ(E.Users.Cpus.Recorded, 8);
  EXPECT_FALSE(E.Users.Cpus.RecordedAssumed);
  EXPECT_DOUBLE_EQ(*E.Users.OthersShare, handedOver(0.7, 8, 64));
  EXPECT_DOUBLE_EQ(E.Sets[2].Weight, 10 * loopGrowth(8, 64));
}

TEST(CpuGrowth, RemoteWindowsOfATraceAreHandedOverNotLoops) {
  AffinityEvidence E = someEvidence();
  E.Sets = {visit(90, {touch(0)}, CpuRelation::Local),
            visit(10, {touch(1)}, CpuRelation::Remote)};
  for (CoAccessSet &Set : E.Sets)
    Set.Kind = SetKind::Trace;
  E.Fields[0].Reads = 90;
  turnToCpus(E, 128);
  const double Share = handedOver(0.1, 2, 128);
  EXPECT_DOUBLE_EQ(E.Sets[0].Weight, 100 * (1 - Share));
  EXPECT_DOUBLE_EQ(E.Sets[1].Weight, 100 * Share);
  EXPECT_DOUBLE_EQ(E.Fields[0].Reads, 100 * (1 - Share));
  EXPECT_EQ(E.Fields[0].RemoteReads, 0);
  EXPECT_DOUBLE_EQ(E.Fields[1].RemoteReads, 100 * Share);
  EXPECT_EQ(E.Users.Cpus.Loops, 0);
}

TEST(CpuGrowth, TurnedTwiceIsTurnedOnce) {
  AffinityEvidence Once = someEvidence();
  Once.Users.OthersShare = 0.3;
  Once.Sets[0].Others = 0.2;
  Once.Sets[2].From.ReferenceShare = 0.5;
  Once.Sets.push_back(Once.Sets[0]);
  Once.Sets.push_back(Once.Sets[2]);
  Once.Sets[3].Kind = Once.Sets[4].Kind = SetKind::Trace;
  AffinityEvidence Twice = Once;
  turnToCpus(Once, 16);
  turnToCpus(Twice, 64);
  turnToCpus(Twice, 16);
  EXPECT_NEAR(*Twice.Users.OthersShare, *Once.Users.OthersShare, 1e-12);
  EXPECT_NEAR(*Twice.Sets[0].Others, *Once.Sets[0].Others, 1e-12);
  ASSERT_EQ(Twice.Sets.size(), Once.Sets.size());
  for (size_t S = 0; S < Once.Sets.size(); ++S)
    EXPECT_NEAR(Twice.Sets[S].Weight, Once.Sets[S].Weight, 1e-9) << S;
  EXPECT_EQ(Twice.Users.Cpus.Wanted, 16u);
  EXPECT_EQ(Twice.Users.Cpus.LoopsBefore, Once.Users.Cpus.LoopsBefore);
  EXPECT_NEAR(Twice.Users.Cpus.Loops, Once.Users.Cpus.Loops, 1e-12);
}

TEST(CpuGrowth, AProfileThatDoesNotSayHadTwo) {
  AffinityEvidence E = someEvidence();
  E.Covered.Profiles.resize(1);
  turnToCpus(E, 64);
  EXPECT_EQ(E.Users.Cpus.Recorded, 2);
  EXPECT_TRUE(E.Users.Cpus.RecordedAssumed);
}

TEST(CpuGrowth, WithoutANumberTheMachineIsTheOneThatWasMeasured) {
  AffinityEvidence E = someEvidence();
  E.Covered.Profiles.resize(1);
  E.Covered.Profiles[0].Text["cpus"] = "16";
  noteRecordedCpus(E);
  EXPECT_EQ(E.Users.Cpus.Wanted, 0u);
  EXPECT_EQ(sharingOptions({}, E.Users, E.Sets).Cpus, 16);
  EXPECT_EQ(sharedByAll({}, E.Users).OtherCpus, 15);
}

TEST(CpuGrowth, SharingIsPricedForTheWantedCpus) {
  AffinityEvidence E = someEvidence();
  const SharingOptions Recorded = sharingOptions({}, E.Users, E.Sets);
  EXPECT_EQ(Recorded.OtherCpus, SharingOptions().OtherCpus);
  turnToCpus(E, 64);
  const SharingOptions Many = sharingOptions({}, E.Users, E.Sets);
  const double Loops = E.Sets[2].Weight,
               Handed = E.Sets[1].Weight * handedOver(0.1, 2, 64);
  EXPECT_DOUBLE_EQ(Many.OtherCpus, otherCpus(Loops / (Loops + Handed), 64));
  EXPECT_DOUBLE_EQ(Many.UnknownRemoteShare, handedOver(0.1, 2, 64));
  EXPECT_DOUBLE_EQ(Many.ChosenRemoteShare, handedOver(0.5, 2, 64));
}

TEST(Ownership, UnknownUnlessVisitsOrSomebodyTell) {
  AffinityEvidence E = someEvidence();
  E.Users.Cpus.Wanted = 64;
  EXPECT_FALSE(usersUnknown(E)); // most visits are by the owner
  E.Sets = {visit(100, {touch(0)}, CpuRelation::Unknown),
            visit(10, {touch(1)}, CpuRelation::Local)};
  EXPECT_TRUE(usersUnknown(E));
  AffinityEvidence Seen = E;
  Seen.Users.OthersShare = 0.2;
  EXPECT_FALSE(usersUnknown(Seen));
  AffinityEvidence Own = E;
  makeExclusive(Own, "--threads 1");
  EXPECT_FALSE(usersUnknown(Own));
  E.Users.Cpus.Wanted = 0; // as recorded
  EXPECT_FALSE(usersUnknown(E));
}

TEST(Ownership, SharedByAllIsEverybodyEquallyOften) {
  Ownership Users;
  Users.Cpus.Wanted = 4;
  const SharingOptions Of = sharedByAll({}, Users);
  EXPECT_EQ(Of.UnknownRemoteShare, 0.75);
  EXPECT_EQ(Of.OtherCpus, 3);
  // One visit in four writes: a CPU loses the line to 3 W among its V = 1/4.
  LineUse Line;
  Line.add({0.25, 0.75}, 1, 0.25);
  const double W = 0.25, V = 1;
  const double Owner = (0.75 * W) * (0.25 * V) / (0.75 * W + 0.25 * V);
  const double Writes = 3 * 0.25 * W + 2 * 0.75 * W;
  const double Others = Writes * 0.75 * V / (Writes + 0.75 * V);
  EXPECT_DOUBLE_EQ(lostVisits(Line, Of), Owner + Others);
}

TEST(Ownership, InALongLifeWhatIsWrittenOnceOrTwiceDoesNotCount) {
  CoAccessSet Made = visit(10, {touch(0, 1, 1), touch(1, 1, 1)});
  Made.When = Phase::SetUp;
  // Field 0 is written twice a life, field 1 eight times.
  const std::vector<CoAccessSet> Sets = {Made, visit(20, {touch(0, 1, 1)}),
                                         visit(80, {touch(1, 1, 1)})};
  const std::vector<CoAccessSet> Long = ofSharedObjects(Sets, {});
  EXPECT_EQ(Long[1].Touches[0].Writes, 0);
  EXPECT_EQ(Long[1].Touches[0].Reads, 1);
  EXPECT_DOUBLE_EQ(Long[2].Touches[0].Writes, 1 - WritesOfALife * 10 / 80);
  // Objects that nobody is seen to make.
  const std::vector<CoAccessSet> Found = ofSharedObjects({&Sets[1], 1}, {});
  EXPECT_EQ(Found[0].Touches[0].Writes, 1);
}

TEST(Ownership, WhatNothingGuardsIsWrittenWhenNobodyElseIsThere) {
  auto By = [](const char *Function, std::vector<FieldTouch> Touches) {
    CoAccessSet Set = visit(1, std::move(Touches));
    Set.Where.Function = Function;
    return Set;
  };
  FieldTouch Atomic = touch(1, 1, 1);
  Atomic.LocklessShare = 1;
  std::vector<CoAccessSet> Sets = {
      By("f", {touch(0, 1, 1), Atomic, touch(3, 1, 1)}),
      By("g", {touch(0, 1, 0), touch(1, 1, 0)}),
      By("h", {touch(0, 1, 1), touch(2, 1, 1)})};
  Sets[2].Guarded = true;
  std::vector<FieldUse> Fields(4);
  Fields[2].Lock = 1;
  const std::vector<CoAccessSet> Of = ofSharedObjects(Sets, Fields);
  EXPECT_DOUBLE_EQ(Of[0].Touches[0].Writes, PlainMeets);
  EXPECT_EQ(Of[0].Touches[1].Writes, 1) << "atomic";
  EXPECT_EQ(Of[0].Touches[2].Writes, 1) << "one function's own";
  EXPECT_EQ(Of[2].Touches[0].Writes, 1) << "under a lock";
  EXPECT_EQ(Of[2].Touches[1].Writes, 1) << "the lock";
}

} // namespace
