// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/Visitors.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

constexpr double Assumed = 0.1;

Visitors seen() {
  const std::vector<VisitCount> Rows = {{"rq", "wake", "a.c", 984, 0.5},
                                        {"cfs_rq", "wake", "a.c", 984, 0},
                                        {"rq", "tick", "a.c", 984, 0}};
  Visitors Made;
  Made.add(Rows);
  return Made;
}

TEST(Visitors, OfTheStructElseOfAllThatTheFunctionWasSeenWith) {
  const Visitors Seen = seen();
  const double Other = 16 * Assumed; // visits that are assumed, of 16
  EXPECT_DOUBLE_EQ(*Seen.othersShare("rq", "wake", "a.c", Assumed),
                   (492 + Other) / 1000);
  EXPECT_DOUBLE_EQ(*Seen.othersShare("inode", "wake", "a.c", Assumed),
                   (492 + Other) / 1984);
  EXPECT_FALSE(Seen.othersShare("rq", "wake", "b.c", Assumed));
  EXPECT_FALSE(Seen.othersShare("rq", "never", "a.c", Assumed));
}

FieldTouch touch(const char *Function, double Reads) {
  FieldTouch Made;
  Made.Probability = 1;
  Made.Reads = Reads;
  Made.Sites = {{{Function, "a.c", 1}, Reads, 0}};
  return Made;
}

AffinityEvidence evidence() {
  AffinityEvidence Made;
  Made.Record.Name = "rq";
  CoAccessSet Set;
  Set.Weight = 1;
  Set.Touches = {touch("wake", 3), touch("never", 1)};
  Made.Sets = {Set, Set, Set, Set};
  Made.Sets[1].Cpu = CpuRelation::Remote;
  Made.Sets[2].When = Phase::SetUp;
  Made.Sets[3].Touches = {touch("never", 1)};
  return Made;
}

TEST(Visitors, ASetHasTheMeanOverItsAccesses) {
  AffinityEvidence To = evidence();
  addVisitors(To, seen(), Assumed);
  ASSERT_TRUE(To.Sets[0].OthersShare);
  EXPECT_DOUBLE_EQ(*To.Sets[0].OthersShare,
                   (3 * (492 + 1.6) / 1000 + Assumed) / 4);
  for (size_t I : {1, 2, 3})
    EXPECT_FALSE(To.Sets[I].OthersShare) << I;
}

TEST(Visitors, WhatTheUserMeasuredIsLeftAlone) {
  AffinityEvidence To = evidence();
  To.Users.OthersShare = 0.02;
  addVisitors(To, seen(), Assumed);
  EXPECT_FALSE(To.Sets[0].OthersShare);
  To = evidence();
  To.Users.Exclusive = true;
  addVisitors(To, seen(), Assumed);
  EXPECT_FALSE(To.Sets[0].OthersShare);
}

} // namespace
