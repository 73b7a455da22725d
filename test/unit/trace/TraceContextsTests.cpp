// SPDX-License-Identifier: GPL-2.0-or-later

#include "SmallTrace.h"

#include "hybrid/trace/TraceContexts.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

TraceEvent change(ContextKind Kind, uint64_t Value, uint64_t In,
                  uint32_t Cpu = 0) {
  return kst_test::EventOf{
      EventKind::Context, 0,  0, static_cast<uint32_t>(Kind), Value, In,
      NoTraceSite,        Cpu};
}

TEST(TraceContexts, TheInnermostCounts) {
  TraceContexts C;
  EXPECT_EQ(C.of(0).kind(), ContextKind::Task);
  C.apply(change(ContextKind::Task, 7, 1));
  C.apply(change(ContextKind::SystemCall, 39, 1));
  EXPECT_EQ(C.of(0).kind(), ContextKind::SystemCall);
  C.apply(change(ContextKind::Softirq, 0, 1));
  C.apply(change(ContextKind::Hardirq, 0, 1));
  EXPECT_EQ(C.of(0).kind(), ContextKind::Hardirq);
  C.apply(change(ContextKind::Hardirq, 0, 0));
  EXPECT_EQ(C.of(0).kind(), ContextKind::Softirq);
  EXPECT_EQ(C.of(0).Task, 7u);
  EXPECT_EQ(C.of(1).kind(), ContextKind::Task);
}

TEST(TraceContexts, ASystemCallStaysWithItsTask) {
  TraceContexts C;
  C.apply(change(ContextKind::Task, 7, 1));
  C.apply(change(ContextKind::SystemCall, 39, 1));
  C.apply(change(ContextKind::Task, 8, 1));
  EXPECT_EQ(C.of(0).Call, TraceContext::NoCall);
  C.apply(change(ContextKind::Task, 7, 1, /*Cpu=*/1));
  EXPECT_EQ(C.of(1).Call, 39u);
  C.apply(change(ContextKind::SystemCall, 39, 0, 1));
  C.apply(change(ContextKind::Task, 7, 1));
  EXPECT_EQ(C.of(0).Call, TraceContext::NoCall);
}

TEST(TraceContexts, ATaskThatEndsInACallLeavesItBehind) {
  TraceContexts C;
  TraceEvent Task = change(ContextKind::Task, 7, 1);
  Task.Address = 0x1000;
  C.apply(Task);
  C.apply(change(ContextKind::SystemCall, 231, 1));
  C.apply(kst_test::EventOf{EventKind::Free, 0x1000});
  C.apply(Task); // another one in the same place
  EXPECT_EQ(C.of(0).Call, TraceContext::NoCall);
}

} // namespace
