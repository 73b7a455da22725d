// SPDX-License-Identifier: GPL-2.0-or-later

#include "Records.h"

#include "hybrid/layout/JoinedConfigs.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

FieldInfo at(uint32_t Line, FieldInfo F) {
  F.Line = Line;
  return F;
}

AffinityEvidence config(std::vector<FieldInfo> Fields,
                        std::vector<CoAccessSet> Sets = {}) {
  AffinityEvidence E;
  E.Record = record(std::move(Fields));
  E.Record.File = "sample.h";
  E.Record.Line = 10;
  E.Fields.resize(E.Record.Fields.size());
  for (size_t F = 0; F < E.Fields.size(); ++F)
    E.Fields[F].Reads = static_cast<double>(F + 1);
  E.Sets = std::move(Sets);
  return E;
}

std::vector<std::string> namesOf(const RecordInfo &R) {
  std::vector<std::string> Names;
  for (const FieldInfo &F : R.Fields)
    Names.push_back(F.Name);
  return Names;
}

using Names = std::vector<std::string>;

TEST(JoinedConfigs, OneIsLeftAlone) {
  AffinityEvidence E = config({at(11, field("a", 8)), at(12, field("b", 4))});
  Result<JoinedConfigs> All = joinConfigs({E});
  ASSERT_TRUE(All);
  EXPECT_EQ(All->Joint, E.Record);
  EXPECT_EQ(All->Configs[0].Record, E.Record);
}

// 11 a   12 only in B   13 only in A   14 b, in A and B   16 c only in B
TEST(JoinedConfigs, FieldsOfAnyInTheOrderOfTheSource) {
  AffinityEvidence A = config(
      {at(11, field("a", 8)), at(13, field("x", 8)), at(14, field("b", 4))},
      {visit(2, {touch(1), touch(2)})});
  AffinityEvidence B = config({at(11, field("a", 4)), at(12, field("y", 4)),
                               at(14, field("b", 4)), at(16, field("c", 4))},
                              {visit(3, {touch(1), touch(3)})});
  B.Rules.push_back({RuleKind::Barrier, {4}, "end", {}});
  Result<JoinedConfigs> All = joinConfigs({A, B});
  ASSERT_TRUE(All) << All.error();
  EXPECT_EQ(namesOf(All->Joint), (Names{"a", "y", "x", "b", "c"}));
  EXPECT_EQ(All->Joint.Fields[0].SizeBits, 64u); // as in the first

  const AffinityEvidence &First = All->Configs[0], &Second = All->Configs[1];
  EXPECT_TRUE(First.Record.Fields[1].Absent);
  EXPECT_TRUE(Second.Record.Fields[2].Absent);
  EXPECT_EQ(Second.Record.Fields[0].SizeBits, 32u);
  EXPECT_EQ(First.Sets[0].Touches[1].Field, 3u);
  EXPECT_EQ(Second.Sets[0].Touches[0].Field, 1u);
  EXPECT_EQ(Second.Sets[0].Touches[1].Field, 4u);
  EXPECT_EQ(Second.Fields[4].Reads, 4);
  EXPECT_EQ(Second.Fields[2].Reads, 0);
  EXPECT_EQ(Second.Rules[0].Fields, (std::vector<uint32_t>{5}));
  // Absent fields neither take place nor align: offsets are as before.
  EXPECT_TRUE(reproduces(First.Record)) << offsetMismatch(First.Record);
  EXPECT_TRUE(reproduces(Second.Record)) << offsetMismatch(Second.Record);
}

TEST(JoinedConfigs, AnAbsentFieldDoesNotPartABitFieldRun) {
  AffinityEvidence A = config(
      {at(11, bits("p", 3)), at(12, field("x", 8)), at(13, bits("q", 5))});
  AffinityEvidence B = config({at(11, bits("p", 3)), at(13, bits("q", 5))});
  Result<JoinedConfigs> All = joinConfigs({A, B});
  ASSERT_TRUE(All);
  EXPECT_EQ(All->Configs[1].Record.Fields[2].OffsetBits, 3u);
  EXPECT_TRUE(reproduces(All->Configs[1].Record));
}

TEST(JoinedConfigs, BranchesOfOneNameAreTwoFieldsAnonymousOnesAreNot) {
  FieldInfo Short = at(12, field("u|v", 8)),
            Long = at(12, field("u|v|w", 16, 8));
  Short.Anonymous = Long.Anonymous = true;
  AffinityEvidence A = config({at(11, field("n", 4)), Short});
  AffinityEvidence B = config({at(14, field("n", 8)), Long});
  A.Record.Fields[1].Line = 20;
  B.Record.Fields[1].Line = 20;
  Result<JoinedConfigs> All = joinConfigs({A, B});
  ASSERT_TRUE(All);
  EXPECT_EQ(namesOf(All->Joint), (Names{"n", "n", "u|v"}));
  EXPECT_EQ(All->Configs[1].Record.Fields[2].SizeBits, 128u);
}

TEST(JoinedConfigs, TwoDefinitionsAreAMistake) {
  AffinityEvidence A = config({at(11, field("a", 8))}), B = A;
  B.Record.File = "other.h";
  EXPECT_EQ(joinConfigs({A, B}).error(),
            "'sample' is defined at different places: sample.h:10 and "
            "other.h:10");
}

} // namespace
