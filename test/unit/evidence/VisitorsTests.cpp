// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whose visits a set's are, where recordings of others know the function.

#include "../layout/Records.h"

#include "hybrid/affinity/CpuGrowth.h"
#include "hybrid/affinity/Ownership.h"
#include "hybrid/evidence/Visitors.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

/// A visit of `Function` that reads field 0 at one place of each of the others.
CoAccessSet by(const char *Function, std::vector<Site> Places,
               CpuRelation Cpu = CpuRelation::Unknown) {
  CoAccessSet Set = visit(10, {touch(0)}, Cpu);
  Set.Where = {Function, "a.c", 1};
  for (Site &At : Places)
    Set.Touches[0].Sites.push_back({std::move(At), 1, 0});
  return Set;
}

AffinityEvidence of(std::vector<CoAccessSet> Sets) {
  AffinityEvidence E;
  E.Sets = std::move(Sets);
  return E;
}

const VisitorTable::Shares Seen = {
    {"a.c:wake", 0.5}, {"a.c:own", 0}, {"b.c:helper", 0.25}, {"c.h:get", 0.75}};

TEST(Visitors, TheFunctionItselfThenWhatItCallsThenHeaders) {
  AffinityEvidence E =
      of({by("wake", {{"helper", "b.c", 1}}), by("own", {}),
          by("other",
             {{"helper", "b.c", 1}, {"own", "a.c", 2}, {"get", "c.h", 3}}),
          by("inlined", {{"get", "c.h", 3}}), by("unknown", {})});
  giveVisitors(E, Seen);
  EXPECT_EQ(E.Sets[0].Others, 0.5);
  EXPECT_EQ(E.Sets[1].Others, 0.0);
  EXPECT_EQ(E.Sets[2].Others, 0.125); // the mean of the two in .c files
  EXPECT_EQ(E.Sets[3].Others, 0.75);
  EXPECT_FALSE(E.Sets[4].Others);
}

TEST(Visitors, WhatIsToldStays) {
  AffinityEvidence E = of({by("wake", {}, CpuRelation::Local),
                           by("wake", {}, CpuRelation::Remote),
                           by("wake", {}, CpuRelation::Chosen), by("own", {})});
  E.Sets[3].Others = 0.3; // another reference knew it
  giveVisitors(E, Seen);
  EXPECT_FALSE(E.Sets[0].Others);
  EXPECT_FALSE(E.Sets[1].Others);
  EXPECT_EQ(E.Sets[2].Others, 0.5);
  EXPECT_EQ(E.Sets[3].Others, 0.3);
  giveVisitors(E, {});
  EXPECT_EQ(E.Sets[2].Others, 0.5) << "one that knows nothing takes nothing";
}

TEST(Visitors, CountInPlaceOfWhatIsAssumed) {
  AffinityEvidence E = of({by("wake", {})});
  const SharingOptions Assumed;
  EXPECT_DOUBLE_EQ(meetingVisits(E.Sets[0], Assumed).Others, 1);
  giveVisitors(E, Seen);
  EXPECT_DOUBLE_EQ(meetingVisits(E.Sets[0], Assumed).Others, 5);
  const SharingOptions Shared = sharedByAll(Assumed, E.Users);
  EXPECT_DOUBLE_EQ(meetingVisits(E.Sets[0], Shared).Others, 5) << "1 - 1 / 2";
  turnToCpus(E, 64);
  EXPECT_DOUBLE_EQ(*E.Sets[0].Others, handedOver(0.5, 2, 64));
  EXPECT_DOUBLE_EQ(
      meetingVisits(E.Sets[0], sharedByAll(Assumed, E.Users)).Others,
      10 * (1 - 1 / 64.0));
  makeExclusive(E, "test");
  EXPECT_EQ(meetingVisits(E.Sets[0], Assumed).Others, 0);
}

} // namespace
