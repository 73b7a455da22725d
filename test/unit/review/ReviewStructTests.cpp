// SPDX-License-Identifier: GPL-2.0-or-later
//
// Structs of two lines with few visits, so that what a change costs can be
// worked out by hand.

#include "test/unit/layout/Records.h"

#include "hybrid/review/ReviewStruct.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

struct Change {
  RecordInfo Base;
  AffinityEvidence Head;
  StructVersions Of;

  Change(RecordInfo Before, RecordInfo After, std::vector<CoAccessSet> Sets)
      : Base(std::move(Before)) {
    Base.Name = After.Name = "s";
    Head.Fields.resize(After.Fields.size());
    for (const CoAccessSet &Set : Sets)
      for (const FieldTouch &Touch : Set.Touches) {
        Head.Fields[Touch.Field].Reads += Set.Weight * Touch.Reads;
        Head.Fields[Touch.Field].Writes += Set.Weight * Touch.Writes;
      }
    Head.Record = std::move(After);
    Head.Sets = std::move(Sets);
    Of.Config = "x86_64";
    Of.Base = &Base;
    Of.Head = &Head;
    Of.Layout.InstanceAlignBytes = 64;
    Of.Layout.AccessesPerStay = 0; // every visit is one
  }
  std::vector<std::string> keys() const {
    std::vector<std::string> Keys;
    for (const Finding &One : reviewStruct(Of).Findings)
      Keys.push_back(One.key());
    return Keys;
  }
};

CoAccessSet by(CpuRelation Cpu, double Weight,
               std::vector<FieldTouch> Touches) {
  CoAccessSet Set = visit(Weight, std::move(Touches));
  Set.Cpu = Cpu;
  return Set;
}

bool has(const std::vector<std::string> &Keys, const std::string &Key) {
  return std::ranges::find(Keys, Key) != Keys.end();
}

/// The owner reads `a` all the time; others write `n`.
std::vector<CoAccessSet> readAndWritten(uint32_t Read, uint32_t Written) {
  return {by(CpuRelation::Local, 100, {touch(Read)}),
          by(CpuRelation::Remote, 100, {touch(Written, 1, 1)})};
}

TEST(ReviewStruct, AWrittenFieldBesideOneThatIsRead) {
  const Change C(record({field("a", 8), field("pad", 56, 8)}),
                 record({field("a", 8), field("n", 8), field("pad", 56, 8)}),
                 readAndWritten(0, 1));
  EXPECT_TRUE(has(C.keys(), "false-sharing s.n"));
}

TEST(ReviewStruct, OnALineOfItsOwnItDoesNoHarm) {
  const Change C(record({field("a", 8), field("pad", 56, 8)}),
                 record({field("a", 8), field("pad", 56, 8), field("n", 8)}),
                 readAndWritten(0, 2));
  EXPECT_FALSE(has(C.keys(), "false-sharing s.n"));
  EXPECT_TRUE(has(C.keys(), "line-more s"));
}

TEST(ReviewStruct, AWrittenFieldThatMovedBesideIt) {
  const Change C(record({field("a", 8), field("pad", 56, 8), field("n", 8)}),
                 record({field("a", 8), field("n", 8), field("pad", 56, 8)}),
                 readAndWritten(0, 1));
  EXPECT_TRUE(has(C.keys(), "false-sharing s.n"));
}

TEST(ReviewStruct, ANameIsNoLayout) {
  const Change C(record({field("a", 8), field("old", 8)}),
                 record({field("a", 8), field("n", 8)}), readAndWritten(0, 1));
  EXPECT_TRUE(C.keys().empty());
}

TEST(ReviewStruct, FieldsThatWerePartedTouchMoreLines) {
  const Change C(record({field("a", 8), field("b", 8), field("c", 8)}),
                 record({field("a", 8), field("cold", 64, 8), field("b", 8),
                         field("c", 8)}),
                 {by(CpuRelation::Local, 100, {touch(0), touch(2), touch(3)})});
  EXPECT_TRUE(has(C.keys(), "hot-line-grew s.cold"));
}

TEST(ReviewStruct, AWriteThatCodeAdds) {
  const RecordInfo R = record({field("a", 8), field("n", 8)});
  Change C(R, R, readAndWritten(0, 1));
  AccessSite Place;
  Place.Where = {"f", "f.c", 7};
  Place.Reads = 0;
  Place.Writes = 1;
  C.Head.Sets[1].Touches[0].Sites = {Place};
  C.Of.Added = {{"n", {"f", "f.c", 7}}};
  EXPECT_EQ(C.keys(), std::vector<std::string>{"write-added s.n"});
}

TEST(ReviewStruct, AFieldThatLeftItsGroup) {
  auto Begin = marker("__cacheline_group_begin__g"),
       End = marker("__cacheline_group_end__g");
  const Change C(record({Begin, field("a", 8), field("b", 8), End}),
                 record({Begin, field("a", 8), End, field("b", 8)}), {});
  EXPECT_TRUE(has(C.keys(), "left-group s.b"));
}

TEST(ReviewStruct, AGroupThatIsReadGetsAFieldThatIsWritten) {
  auto Begin = marker("__cacheline_group_begin__read"),
       End = marker("__cacheline_group_end__read");
  const Change C(record({Begin, field("a", 8), End}),
                 record({Begin, field("a", 8), field("n", 8), End}),
                 readAndWritten(1, 2));
  EXPECT_TRUE(has(C.keys(), "wrong-group s.n"));
}

TEST(ReviewStruct, AColdStructCostsNobody) {
  Change C(record({field("a", 8), field("pad", 56, 8)}),
           record({field("a", 8), field("n", 8), field("pad", 56, 8)}),
           readAndWritten(0, 1));
  C.Of.Calls = 1e12;
  EXPECT_FALSE(has(C.keys(), "false-sharing s.n"));
}

} // namespace
