// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/WorkerPool.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kst;
using namespace std::chrono_literals;

namespace {

struct PoolRun {
  std::vector<JobResult> Results; ///< in the order in which they were given
  std::vector<size_t> Jobs;
  PoolReport Report;
};

PoolRun runPool(size_t Count, unsigned Workers, const JobFunction &Work,
                WorkerLimits Limits = {}) {
  PoolRun R;
  InterruptGuard Guard;
  PoolEvents Events;
  Events.Done = [&](size_t Job, JobResult Result) {
    R.Jobs.push_back(Job);
    R.Results.push_back(std::move(Result));
  };
  R.Report = runJobs(Count, Workers, Work, Limits, Guard, Events);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  EXPECT_EQ(errno, ECHILD);
  return R;
}

// volatile and an address that escapes: the recursion must use real stack.
int overflow(int Depth, volatile char *Above) {
  volatile char Frame[4096];
  Frame[0] = static_cast<char>(Depth);
  if (Above)
    Frame[1] = *Above;
  return Depth == -1 ? 0 : overflow(Depth + 1, Frame) + Frame[0];
}

TEST(WorkerPool, NoJobs) {
  PoolRun R = runPool(0, 4, [](size_t) { return std::string("x"); });
  EXPECT_TRUE(R.Results.empty());
  EXPECT_EQ(R.Report.Forks, 0u);
}

TEST(WorkerPool, ResultsComeInOrderForAnyNumberOfWorkers) {
  for (unsigned Workers : {1u, 2u, 5u, 50u}) {
    PoolRun R = runPool(20, Workers, [](size_t Job) {
      if (Job % 5 == 0) // the first of each group ends last
        usleep(20000);
      return "job " + std::to_string(Job);
    });
    ASSERT_EQ(R.Results.size(), 20u);
    for (size_t I = 0; I < 20; ++I) {
      EXPECT_EQ(R.Jobs[I], I);
      EXPECT_TRUE(R.Results[I].Ok);
      EXPECT_EQ(R.Results[I].Bytes, "job " + std::to_string(I));
    }
    EXPECT_LE(R.Report.Forks, Workers);
    EXPECT_GT(R.Report.PeakRssKb, 0u);
  }
}

TEST(WorkerPool, CrashCostsOneJob) {
  PoolRun R = runPool(6, 2, [](size_t Job) {
    if (Job == 1)
      raise(SIGSEGV);
    if (Job == 2)
      abort();
    if (Job == 3)
      _exit(7);
    return std::string("fine");
  });
  ASSERT_EQ(R.Results.size(), 6u);
  EXPECT_EQ(R.Results[1].Reason, "crashed (signal 11)");
  EXPECT_EQ(R.Results[2].Reason, "crashed (signal 6)");
  EXPECT_EQ(R.Results[3].Reason, "ended without a result (exit status 7)");
  for (size_t I : {0, 4, 5})
    EXPECT_EQ(R.Results[I].Bytes, "fine");
}

TEST(WorkerPool, StackOverflowIsACrash) {
  PoolRun R = runPool(2, 1, [](size_t Job) {
    return Job == 0 ? std::to_string(overflow(0, nullptr)) : "fine";
  });
  EXPECT_EQ(R.Results[0].Reason.substr(0, 19), "crashed (signal 11)");
  EXPECT_EQ(R.Results[1].Bytes, "fine");
}

TEST(WorkerPool, StackLimitIsSet) {
  WorkerLimits Limits;
  Limits.StackBytes = 3 << 20;
  PoolRun R = runPool(
      1, 1,
      [](size_t) {
        rlimit Stack, Core;
        getrlimit(RLIMIT_STACK, &Stack);
        getrlimit(RLIMIT_CORE, &Core);
        return std::to_string(Stack.rlim_cur) + " " +
               std::to_string(Core.rlim_cur);
      },
      Limits);
  EXPECT_EQ(R.Results[0].Bytes, "3145728 0");
}

TEST(WorkerPool, HangEndsAtTheTimeout) {
  WorkerLimits Limits;
  Limits.Timeout = 300ms;
  auto Start = std::chrono::steady_clock::now();
  PoolRun R = runPool(
      4, 2,
      [](size_t Job) {
        if (Job == 1)
          for (;;)
            pause();
        return std::string("fine");
      },
      Limits);
  EXPECT_LT(std::chrono::steady_clock::now() - Start, 20s);
  EXPECT_EQ(R.Results[1].Reason, "took longer than 300 ms");
  EXPECT_FALSE(R.Results[1].Ok);
  for (size_t I : {0, 2, 3})
    EXPECT_TRUE(R.Results[I].Ok);
}

// More hands than work at the end: an idle worker has no deadline.
TEST(WorkerPool, IdleWorkersDoNotTimeOut) {
  WorkerLimits Limits;
  Limits.Timeout = 1500ms;
  PoolRun R = runPool(
      5, 4,
      [](size_t Job) {
        if (Job == 4)
          usleep(1000000);
        if (Job < 4)
          usleep(600000);
        return std::string("fine");
      },
      Limits);
  for (const JobResult &Result : R.Results)
    EXPECT_TRUE(Result.Ok) << Result.Reason;
}

TEST(WorkerPool, HugeAndEmptyResults) {
  const size_t Huge = 50 << 20;
  PoolRun R = runPool(3, 2, [&](size_t Job) {
    return std::string(Job == 1 ? Huge : 0, static_cast<char>('a' + Job));
  });
  EXPECT_TRUE(R.Results[0].Ok);
  EXPECT_EQ(R.Results[0].Bytes, "");
  EXPECT_EQ(R.Results[1].Bytes, std::string(Huge, 'b'));
}

TEST(WorkerPool, ResultBeyondTheLimitIsRefused) {
  WorkerLimits Limits;
  Limits.MaxResultBytes = 1000;
  PoolRun R = runPool(
      2, 1, [](size_t Job) { return std::string(1000 + (Job == 0), 'x'); },
      Limits);
  EXPECT_EQ(R.Results[0].Reason, "its result is larger than 1000 bytes");
  EXPECT_TRUE(R.Results[1].Ok);
}

TEST(WorkerPool, LastWordsArePartOfTheReason) {
  testing::internal::CaptureStderr();
  PoolRun R = runPool(2, 1, [](size_t Job) {
    for (int I = 0; I < 100000; ++I)
      fprintf(stderr, "line %d\n", I);
    printf("on stdout\n");
    fflush(stdout);
    if (Job == 0)
      abort();
    return std::string("fine");
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(R.Results[0].Reason,
            "crashed (signal 6): line 99998;line 99999;on stdout");
  EXPECT_EQ(R.Results[1].Reason, "");
}

TEST(WorkerPool, StandardInputIsEmpty) {
  PoolRun R = runPool(1, 1, [](size_t) {
    char C;
    return std::to_string(read(STDIN_FILENO, &C, 1));
  });
  EXPECT_EQ(R.Results[0].Bytes, "0");
}

TEST(WorkerPool, AChildDoesSeveralJobsUntilItGrowsTooLarge) {
  auto Pid = [](size_t) { return std::to_string(getpid()); };
  EXPECT_EQ(runPool(10, 1, Pid).Report.Forks, 1u);
  WorkerLimits Limits;
  Limits.RecycleRssBytes = 1; // any process is larger
  PoolRun R = runPool(10, 2, Pid, Limits);
  EXPECT_EQ(R.Report.Forks, 10u);
  for (const JobResult &Result : R.Results)
    EXPECT_TRUE(Result.Ok) << Result.Reason;
}

TEST(WorkerPool, AddressSpaceLimit) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer's shadow needs terabytes of address space";
#endif
  WorkerLimits Limits;
  Limits.AddressSpaceBytes = uint64_t(1) << 30;
  PoolRun R = runPool(
      2, 1,
      [](size_t Job) {
        if (Job == 1)
          return std::string("fine");
        void *Much = malloc(size_t(2) << 30);
        std::string Answer = Much ? "got it" : "refused";
        free(Much);
        return Answer;
      },
      Limits);
  EXPECT_EQ(R.Results[0].Bytes, "refused");
  EXPECT_EQ(R.Results[1].Bytes, "fine");
}

TEST(WorkerPool, InterruptEndsTheRunAndAllChildren) {
  for (int Signal : {SIGINT, SIGTERM}) {
    auto Start = std::chrono::steady_clock::now();
    PoolRun R = runPool(8, 3, [&](size_t Job) {
      if (Job == 2) {
        usleep(50000);
        kill(getppid(), Signal);
      }
      if (Job != 0)
        sleep(60);
      return std::string("fine");
    });
    EXPECT_TRUE(R.Report.Interrupted);
    EXPECT_LT(R.Results.size(), 8u);
    EXPECT_LT(std::chrono::steady_clock::now() - Start, 20s);
  }
}

// A terminal sends SIGINT to parent and children: the parent decides.
TEST(WorkerPool, ChildrenLeaveInterruptsToTheParent) {
  PoolRun R = runPool(1, 1, [](size_t) {
    raise(SIGINT);
    return std::string("still here");
  });
  EXPECT_EQ(R.Results[0].Bytes, "still here");
}

TEST(InterruptGuard, GivesTheFormerStateBack) {
  sigset_t Before, After;
  sigprocmask(SIG_BLOCK, nullptr, &Before);
  {
    InterruptGuard Guard;
    EXPECT_FALSE(Guard.interrupted());
    raise(SIGTERM); // would end the test program
    EXPECT_TRUE(Guard.interrupted());
    EXPECT_TRUE(Guard.interrupted());
  }
  sigprocmask(SIG_BLOCK, nullptr, &After);
  for (int Signal : {SIGINT, SIGTERM})
    EXPECT_EQ(sigismember(&Before, Signal), sigismember(&After, Signal));
}

} // namespace
