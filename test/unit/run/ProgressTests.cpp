// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/Progress.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

using namespace kst;

namespace {

struct Shown {
  std::string Text;
  llvm::raw_string_ostream Out{Text};
  uint64_t Now = 1000;
  Progress::ClockFunction clock() {
    return [this] { return Now; };
  }
};

TEST(Progress, OverprintsOneLine) {
  Shown S;
  Progress P(S.Out, ProgressStyle::Overprint, 80, S.clock());
  P.show(1, 47, "kernel/sched/core.c");
  P.show(2, 47, "too soon after the first"); // 50 ms
  S.Now += 50;
  P.show(12, 47, "a.c");
  P.clear();
  P.clear();
  EXPECT_EQ(S.Out.str(), "\r[1/47] kernel/sched/core.c\x1b[K"
                         "\r[12/47] a.c\x1b[K"
                         "\r\x1b[K");
}

TEST(Progress, LongNamesKeepTheirEndAndNeverWrap) {
  Shown S;
  Progress P(S.Out, ProgressStyle::Overprint, 20, S.clock());
  P.show(1, 9, "drivers/net/ethernet/a_very_long_name.c");
  // 19 columns: "[1/9] " and 13 of the name.
  EXPECT_EQ(S.Out.str(), "\r[1/9] ...ong_name.c\x1b[K");
}

TEST(Progress, PlainLinesNowAndThen) {
  Shown S;
  Progress P(S.Out, ProgressStyle::Lines, 80, S.clock());
  P.show(1, 47, "a.c");
  S.Now += 4999;
  P.show(2, 47, "b.c");
  S.Now += 1;
  P.show(3, 47, "c.c");
  P.show(4, 47, "d.c");
  P.clear();
  EXPECT_EQ(S.Out.str(), "[3/47] c.c\n");
}

TEST(Progress, SilentSaysNothing) {
  Shown S;
  {
    Progress P(S.Out, ProgressStyle::Silent, 80, S.clock());
    S.Now += 100000;
    P.show(1, 2, "a.c");
  }
  EXPECT_EQ(S.Out.str(), "");
}

TEST(Progress, StyleSuitsTheStream) {
  Shown S; // not a terminal
  EXPECT_EQ(progressStyle(S.Out, true), ProgressStyle::Silent);
  EXPECT_EQ(progressStyle(S.Out, false), ProgressStyle::Lines);
}

} // namespace
