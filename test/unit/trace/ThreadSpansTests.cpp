// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/ThreadSpans.h"
#include "hybrid/trace/TraceLimits.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

TEST(ThreadSpans, OverlapIsAShareOfTheTimeWithAccesses) {
  ThreadSpans Of;
  EXPECT_EQ(Of.overlap(), 0);
  Of.add(7, 100, 120);
  Of.add(7, 150, 200); // one span, whatever lies between
  EXPECT_EQ(Of.threads(), 1u);
  EXPECT_EQ(Of.overlap(), 0);
  Of.add(8, 175, 225);
  EXPECT_DOUBLE_EQ(Of.overlap(), 25.0 / 125);
  Of.add(9, 300, 425); // a pause is no time with accesses
  EXPECT_DOUBLE_EQ(Of.overlap(), 25.0 / 250);
}

TEST(ThreadSpans, ThreadsInTurnsShareCpusInTurns) {
  ThreadSpans Of;
  for (uint32_t T = 0; T < 5; ++T)
    Of.add(10 + T, 100 * T, 100 * T + 50);
  EXPECT_EQ(Of.onCpus(2), (std::map<uint32_t, uint32_t>{
                              {10, 0}, {11, 1}, {12, 0}, {13, 1}, {14, 0}}));
  EXPECT_EQ(Of.onCpus(8).at(14), 4u) << "as long as there are free ones";
}

TEST(ThreadSpans, WhatRunsAtTheSameTimeSharesNone) {
  ThreadSpans Of;
  for (uint32_t T = 0; T < 3; ++T)
    Of.add(T, T, 100);
  EXPECT_EQ(Of.onCpus(2),
            (std::map<uint32_t, uint32_t>{{0, 0}, {1, 1}, {2, 2}}));
}

TEST(TraceLimits, ThreadsThatNeverMetAreTold) {
  Profile About;
  About.Text = {{RanThreads, "3"}, {RanTogether, "0.000000"}};
  ASSERT_EQ(traceLimits(About).size(), 1u);
  EXPECT_TRUE(traceLimits(About)[0].starts_with(
      "no two of the 3 threads ran at the same time"));
  EXPECT_TRUE(recordedPart(About).empty());
  About.Text[RanTogether] = "0.25";
  EXPECT_TRUE(traceLimits(About).empty());
  About.Text = {{RanThreads, "1"}, {RanTogether, "0.000000"}};
  EXPECT_TRUE(traceLimits(About).empty());
}

} // namespace
