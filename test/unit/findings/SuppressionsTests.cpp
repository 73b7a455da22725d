// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/findings/FindingForms.h"
#include "hybrid/findings/MergeFindings.h"
#include "hybrid/findings/Suppressions.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

Finding finding(const char *Config, Grade How = Grade::Low) {
  Finding F;
  F.Kind = FindingKind::FalseSharing;
  F.How = How;
  F.Struct = "rq";
  F.Fields = {"nr_iowait"};
  F.Config = {Config};
  F.File = "kernel/sched/sched.h";
  return F;
}

FindingList sample() {
  FindingList R;
  R.Findings = {finding("x86"), finding("arm", Grade::High)};
  mergeFindings(R);
  return R;
}

TEST(MergeFindings, ConfigurationsAreOneFinding) {
  const FindingList R = sample();
  ASSERT_EQ(R.Findings.size(), 1u);
  EXPECT_EQ(R.Findings[0].How, Grade::High);
  EXPECT_EQ(R.Findings[0].Config, (std::vector<std::string>{"x86", "arm"}));
}

TEST(MergeFindings, TheKeyKnowsNoLine) {
  Finding A = finding("x86"), B = A;
  B.Line = 99;
  EXPECT_EQ(A.key(), "false-sharing rq.nr_iowait");
  EXPECT_EQ(A.fingerprint(), B.fingerprint());
  EXPECT_NE(toSarif({}, sample(), reviewKinds()).find(A.fingerprint()),
            std::string::npos);
}

TEST(MergeFindings, MoreThanTheMostAreCounted) {
  FindingList R;
  for (size_t I = 0; I != MaxFindings + 3; ++I) {
    R.Findings.push_back(finding("x86"));
    R.Findings.back().Fields = {"f" + std::to_string(I)};
  }
  mergeFindings(R);
  EXPECT_EQ(R.Findings.size(), MaxFindings);
  EXPECT_EQ(R.Omitted, 3u);
}

TEST(Suppressions, ByKeyOrFingerprint) {
  for (const std::string &Line :
       {finding("").key() + "  # known", finding("").fingerprint()}) {
    FindingList R = sample();
    auto Some = Suppressions::parse("# all\n\n" + Line + "\n", "list");
    ASSERT_TRUE(Some) << Some.error();
    EXPECT_TRUE(Some->apply(R).empty());
    EXPECT_TRUE(R.Findings.empty());
    EXPECT_EQ(R.Suppressed, 1u);
  }
}

TEST(Suppressions, WhatMatchesNothingIsTold) {
  FindingList R = sample();
  auto Some = Suppressions::parse("line-more rq\n", "list");
  ASSERT_TRUE(Some) << Some.error();
  EXPECT_EQ(Some->apply(R), (std::vector<std::string>{
                                "list:1: 'line-more rq' matches no finding"}));
  EXPECT_EQ(R.Findings.size(), 1u);
}

TEST(Suppressions, WhatIsNoLineIsAnError) {
  for (const char *Line : {"rq", "no-kind rq.a", "line-more rq a",
                           "line-more .a", "line-more rq."})
    EXPECT_FALSE(Suppressions::parse(Line, "list")) << Line;
}

} // namespace
