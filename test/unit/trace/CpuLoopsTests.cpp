// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/CpuLoops.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

constexpr uint32_t F = 1, G = 2;

unsigned visit(CpuLoops &Loops, uint32_t Cpu, uint32_t Function,
               uint32_t Owner) {
  Loops.access(Cpu);
  return Loops.visit(Cpu, Function, Owner);
}

TEST(CpuLoops, EveryOtherCpusObjectOfALoopCounts) {
  CpuLoops Loops;
  unsigned Found = 0;
  for (uint32_t Owner : {0, 1, 2, 3})
    Found += visit(Loops, 2, F, Owner);
  EXPECT_EQ(Found, 3u); // the first too; not CPU 2's own
}

TEST(CpuLoops, OneVisitIsNoLoop) {
  CpuLoops Loops;
  EXPECT_EQ(visit(Loops, 0, F, 1), 0u);
  EXPECT_EQ(visit(Loops, 0, G, 2), 0u); // another function
  EXPECT_EQ(visit(Loops, 1, F, 0), 0u); // on another CPU
}

TEST(CpuLoops, TheSameObjectAgainIsNoLoop) {
  CpuLoops Loops;
  for (int I = 0; I < 10; ++I)
    EXPECT_EQ(visit(Loops, 0, F, 1), 0u);
}

TEST(CpuLoops, SpinningOnOneObjectOfALoopEndsIt) {
  CpuLoops Loops;
  visit(Loops, 0, F, 1);
  unsigned Found = visit(Loops, 0, F, 2);
  EXPECT_EQ(Found, 2u);
  for (uint64_t I = 0; I < 10 * CpuLoops::Reach; ++I)
    Found += visit(Loops, 0, F, 2);
  EXPECT_EQ(Found, 2u + CpuLoops::Reach);
}

TEST(CpuLoops, VisitsFarApartAreNoLoop) {
  CpuLoops Loops;
  EXPECT_EQ(visit(Loops, 0, F, 1), 0u);
  for (uint64_t I = 0; I < CpuLoops::Reach; ++I)
    Loops.access(0);
  EXPECT_EQ(visit(Loops, 0, F, 2), 0u);
}

TEST(CpuLoops, ACalleeBetweenTwoIterationsDoesNotEndIt) {
  CpuLoops Loops;
  unsigned Found = 0;
  for (uint32_t Owner : {1, 2, 3}) {
    Found += visit(Loops, 0, F, Owner);
    Found += visit(Loops, 0, G, Owner);
  }
  EXPECT_EQ(Found, 6u);
}

} // namespace
