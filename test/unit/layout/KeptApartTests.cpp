// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an order may not join where nobody measured.

#include "Records.h"

#include "hybrid/layout/Advise.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

/// A ring whose indices lie apart: each end writes its own and looks at the
/// other's. Joined, a visit would touch one line less.
AffinityEvidence ring() {
  AffinityEvidence E;
  E.Record = record({field("head", 8), field("apart", 120, 8), field("tail", 8),
                     field("rest", 120, 8)},
                    64);
  E.Fields.resize(4);
  CoAccessSet Put =
                  visit(100, {touch(0, 1, 1), touch(2)}, CpuRelation::Unknown),
              Take =
                  visit(100, {touch(2, 1, 1), touch(0)}, CpuRelation::Unknown);
  Put.Where.Function = "put";
  Take.Where.Function = "take";
  E.Sets = {Put, Take};
  E.Users.Cpus.Wanted = 64;
  return E;
}

TEST(KeptApart, FieldsOfOtherWritersWhereTheSourceAloneSpeaks) {
  const Advice A = advise(ring());
  EXPECT_EQ(A.What, Verdict::Keep);
}

TEST(KeptApart, NotIfOneFunctionWritesBoth) {
  AffinityEvidence E = ring();
  E.Sets[1].Where.Function = "put";
  EXPECT_EQ(advise(E).What, Verdict::Reorder);
}

TEST(KeptApart, NotWhereRatesWereMeasured) {
  AffinityEvidence E = ring();
  E.Covered.Reference = "recordings";
  EXPECT_EQ(advise(E).What, Verdict::Reorder);
}

} // namespace
