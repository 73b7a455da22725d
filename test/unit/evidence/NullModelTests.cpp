// SPDX-License-Identifier: GPL-2.0-or-later
//
// The bars for traces: no structure out of frequencies alone, planted groups
// back, over 100 seeds each.

#include "hybrid/evidence/NullModel.h"
#include "hybrid/evidence/TraceEvidence.h"
#include "hybrid/layout/Advise.h"
#include "test/unit/evidence/TraceSamples.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

RecordInfo recordOf(uint32_t Fields) {
  RecordInfo Record;
  Record.Name = std::string(1, 's');
  Record.SizeBytes = Fields * 8;
  Record.AlignBytes = 8;
  for (uint32_t F = 0; F != Fields; ++F) {
    FieldInfo Info;
    Info.Name = std::string("f").append(std::to_string(F));
    Info.TypeName = "long";
    Info.OffsetBits = F * 64;
    Info.SizeBits = 64;
    Info.AlignBytes = 8;
    Record.Fields.push_back(Info);
  }
  return Record;
}

} // namespace

TEST(NullModel, ExpectationsMeetTheMargins) {
  // Four fields, all pairs but the diagonal.
  std::vector<uint64_t> Seen = {0, 9, 4, 2, 9, 0, 6, 3, 4, 6, 0, 1, 2, 3, 1, 0};
  std::vector<double> E = quasiIndependent(Seen, 4);
  for (uint32_t A = 0; A != 4; ++A) {
    double Sum = 0, Wanted = 0;
    for (uint32_t B = 0; B != 4; ++B) {
      Sum += E[A * 4 + B];
      Wanted += double(Seen[A * 4 + B]);
      EXPECT_EQ(E[A * 4 + B], E[B * 4 + A]);
    }
    EXPECT_NEAR(Sum, Wanted, 1e-6);
    EXPECT_EQ(E[A * 4 + A], 0);
  }
  // A product: E01 E23 = E02 E13.
  EXPECT_NEAR(E[1] * E[11], E[2] * E[7], 1e-6);
}

TEST(NullModel, AllPairsAlikeIsNoStructure) {
  std::vector<uint64_t> Seen(36, 1000);
  StructureTest Test = testStructure(Seen, 6);
  EXPECT_NEAR(Test.Statistic, 0, 1e-6);
  EXPECT_FALSE(Test.Structured);
  EXPECT_FALSE(testStructure(std::vector<uint64_t>(36), 6).Structured);
}

TEST(NullModel, FrequenciesAloneAreNoStructure) {
  unsigned Alarms = 0;
  for (uint64_t Seed = 1; Seed <= 100; ++Seed)
    for (size_t Events : {2000, 20000}) {
      Windows Of =
          windowsOf(TraceSample(Seed).independent(40, Events, 1.5), 40);
      Alarms += testStructure(Of.adjacent(), 40).Structured;
    }
  // 200 traces at alpha = 0.01: 7 or more by chance once in 200.
  EXPECT_LE(Alarms, 6u);
}

TEST(NullModel, FrequenciesAloneGiveNoOrder) {
  Windows Of = windowsOf(TraceSample(7).independent(40, 20000, 1.5), 40);
  AffinityEvidence Found =
      traceEvidence(recordOf(40), Of, testStructure(Of.adjacent(), 40));
  Verdict What = advise(Found).What;
  EXPECT_TRUE(What == Verdict::Keep || What == Verdict::InsufficientEvidence);
}

TEST(NullModel, PlantedGroupsAreStructure) {
  struct Case {
    uint32_t Groups, PerGroup;
    size_t Events;
    double Skip, Noise;
  };
  for (const Case &C :
       {Case{5, 6, 2000, 0.2, 0.2}, Case{8, 4, 2000, 0.1, 0.1},
        Case{4, 12, 5000, 0.3, 0.3}, Case{10, 8, 20000, 0.3, 0.5}}) {
    uint32_t Fields = C.Groups * C.PerGroup, Found = 0;
    for (uint64_t Seed = 1; Seed <= 100; ++Seed) {
      Windows Of =
          windowsOf(TraceSample(Seed).planted(C.Groups, C.PerGroup, C.Events,
                                              C.Skip, C.Noise),
                    Fields);
      Found += testStructure(Of.adjacent(), Fields).Structured;
    }
    EXPECT_GE(Found, 99u) << C.Groups << " x " << C.PerGroup;
  }
}

TEST(NullModel, PlantedGroupsGiveAnOrder) {
  // Declared so that each line has one field of every group.
  std::vector<WindowEvent> Events =
      TraceSample(3).planted(8, 8, 20000, 0.1, 0.1);
  for (WindowEvent &E : Events)
    E.Field = E.Field % 8 * 8 + E.Field / 8;
  Windows Of = windowsOf(Events, 64);
  AffinityEvidence Found =
      traceEvidence(recordOf(64), Of, testStructure(Of.adjacent(), 64));
  EXPECT_EQ(advise(Found).What, Verdict::Reorder);
}
