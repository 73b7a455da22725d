// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a proposal makes worse, each phrase against numbers worked out by hand.

#include "ReportSamples.h"
#include "hybrid/fieldorder/PatchText.h"
#include "hybrid/fieldorder/WorseView.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

using test::SampleBuilder;
using Phrases = std::vector<std::string>;

/// a and b on line 0, c on line 2; c trades places with b. often() wants a with
/// c in 100 visits and gains a line, seldom() a with b in `Seldom` and pays
/// one.
Report traded(double Seldom) {
  SampleBuilder B("s");
  uint32_t A = B.field("u64", "a", 8), Left = B.field("u64", "b", 8);
  uint32_t Cold = B.field("u64[16]", "cold", 128, 8);
  uint32_t Far = B.field("u64", "c", 8);
  B.set(100, SetKind::Visit, CpuRelation::Local, {"often", "s.c", 1},
        {{A, 1, 1, 0, {}}, {Far, 1, 1, 0, {}}});
  B.set(Seldom, SetKind::Visit, CpuRelation::Local, {"seldom", "s.c", 9},
        {{A, 1, 1, 0, {}}, {Left, 1, 1, 0, {}}});
  B.order({A, Far, Cold, Left});
  Report R = B.take();
  R.InstanceAlignBytes = 64;
  return R;
}

TEST(WorseView, NamesAPathThatPays) {
  Report R = traded(25);
  EXPECT_EQ(worseOf(ReportView(R)),
            (Phrases{"seldom() (s.c:9) touches 2.00 lines instead of 1.00, in "
                     "20.0% of the visits"}));
  std::string Patch = toPatchText({{&R, {}, {}}});
  EXPECT_NE(Patch.find("What gets worse:\n\n  seldom() (s.c:9) touches 2.00 "
                       "lines"),
            std::string::npos)
      << Patch;
}

TEST(WorseView, APathOfNoWeightIsNotNamed) {
  // 0.1 of 100.1 visits, and 0.1 of 200.1 line touches.
  EXPECT_TRUE(worseOf(ReportView(traded(0.1))).empty());
  EXPECT_EQ(worseOf(ReportView(traded(0.9))).size(), 1u); // 0.4 % of touches
  EXPECT_EQ(worseWords(ReportView(traded(0.1))),
            (Phrases{"Nothing that was looked at gets worse: size, paths of "
                     "notable weight."}));
}

TEST(WorseView, CountsPathsBeyondThree) {
  Report R = traded(25);
  for (int I = 0; I < 4; ++I) {
    CoAccessSet Set = R.Evidence.Sets.back();
    Set.Where.Function += std::to_string(I);
    R.Evidence.Sets.push_back(Set);
  }
  EXPECT_EQ(worseOf(ReportView(R)).size(), 5u);
  Phrases Worse = worseOf(ReportView(R), 3);
  ASSERT_EQ(Worse.size(), 4u);
  EXPECT_EQ(Worse.back(), "2 more paths of notable weight");
}

TEST(WorseView, SizesAndOtherConfigurations) {
  Report R = traded(0.1);
  ConfigScore T;
  T.Name = "arm64";
  T.Record = R.Evidence.Record;
  T.Current = R.Layouts.Current.Plan;
  T.Proposed = R.Layouts.Proposed.Plan;
  T.Now.Lines = T.New.Lines = 100;
  R.Layouts.Configs = {T}; // neither better nor worse
  EXPECT_TRUE(worseOf(ReportView(R)).empty());
  T.Proposed.SizeBytes += 8;
  T.New.Lines = 112;
  R.Layouts.Configs.push_back(T);
  T.Optimised = false; // one of the cases below
  T.LineBytes = 128;
  R.Layouts.Configs.push_back(T);
  EXPECT_EQ(worseOf(ReportView(R)),
            (Phrases{"160 bytes instead of 152 in arm64",
                     "the cost changes by +12.0% in arm64"}));
}

TEST(WorseView, WhereOneThingIsOtherwise) {
  Report R = traded(0.1);
  R.Layouts.Weights.Assumed = {{"with lines of 128 bytes", -0.12},
                               {"with 2 CPUs", 0},
                               {"on graviton2", -0.01}};
  EXPECT_EQ(worseOf(ReportView(R)),
            (Phrases{"the cost changes by +12.0% with lines of 128 bytes, "
                     "+1.0% on graviton2"}));
}

TEST(WorseView, NothingIsSaidWhenNothingIsProposed) {
  Report R = traded(25);
  R.Layouts.What = Verdict::Keep;
  EXPECT_TRUE(worseOf(ReportView(R)).empty());
  EXPECT_TRUE(worseWords(ReportView(R)).empty());
}

} // namespace
} // namespace kst
