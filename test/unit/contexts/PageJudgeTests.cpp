// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/PageJudge.h"

#include <gtest/gtest.h>

namespace {

using namespace kst;

uint32_t itself(uint32_t Id) { return Id; }

OwnerGuess guess(uint32_t Pointer, uint32_t Call, uint32_t Task = 0) {
  OwnerGuess Out;
  Out.Pointer = Pointer;
  Out.Call = Call;
  Out.Task = Task;
  return Out;
}

TEST(PageJudge, AContextIsOfTheFileOfMostOfItsPages) {
  PageJudge Of;
  Of.pages(guess(1, 2), 10, 3);
  Of.pages(guess(1, 1), 20, 1);
  Of.pages(guess(2, 2, 1), 20, 4);
  const auto Found = Of.judge(itself);
  EXPECT_EQ(Found.FileOf, (std::map<uint32_t, uint64_t>{{1, 10}, {2, 20}}));
  EXPECT_EQ(Found.MixedContexts, 1u);
  const PageTruth &Pointer = Found.Truth[size_t(OwnerRule::Pointer)],
                  &Call = Found.Truth[size_t(OwnerRule::Call)],
                  &Task = Found.Truth[size_t(OwnerRule::Task)];
  EXPECT_EQ(Pointer.Pages, 8u);
  EXPECT_EQ(Pointer.Said, 8u);
  EXPECT_EQ(Pointer.Right, 7u);
  EXPECT_EQ(Call.Right, 4u);
  EXPECT_EQ(Task.Said, 4u);
  EXPECT_EQ(Task.Right, 0u);
}

TEST(PageJudge, WhatIsNotSaidIsMissedByRecallOnly) {
  PageJudge Of;
  Of.pages(guess(1, 0), 10, 1);
  Of.pages(guess(0, 0), 10, 3);
  const PageTruth Best = Of.judge(itself).Truth[size_t(OwnerRule::None)];
  EXPECT_EQ(Best.precision(), 1);
  EXPECT_EQ(Best.recall(), 0.25);
}

TEST(PageJudge, JoinedContextsAreOne) {
  PageJudge Of;
  Of.pages(guess(1, 0), 10, 1);
  Of.pages(guess(2, 0), 10, 1);
  const auto Found = Of.judge([](uint32_t) { return 1; });
  EXPECT_EQ(Found.FileOf.size(), 1u);
  EXPECT_EQ(Found.MixedContexts, 0u);
}

} // namespace
