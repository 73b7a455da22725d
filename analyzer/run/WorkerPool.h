// SPDX-License-Identifier: GPL-2.0-or-later
//
// Many jobs on a few child processes: a job that crashes, hangs or eats all
// memory costs its own result and nothing else.

#pragma once

#include "analyzer/run/Worker.h"

#include <functional>
#include <string>

namespace kst {

struct JobResult {
  bool Ok = false;
  std::string Bytes;  ///< when Ok: what the job function returned
  std::string Reason; ///< otherwise: why there is none
};

struct PoolReport {
  bool Interrupted = false; ///< some jobs have no result
  unsigned Forks = 0;
  uint64_t PeakRssKb = 0; ///< of the largest child
  double CpuSeconds = 0;  ///< of all children
};

/// Called in the parent. Done gets the results in order of job numbers,
/// whichever ends first; Started and Ended tell what is going on, as it
/// happens. Each may be empty.
struct PoolEvents {
  std::function<void(size_t Job, JobResult Result)> Done;
  std::function<void(size_t Job)> Started;
  std::function<void(size_t Job)> Ended;
};

/// Calls Work(0), ..., Work(JobCount - 1) in at most Workers (>= 1) children
/// at a time. The children are forks of this process as it is now: Work sees
/// all of its memory, and its changes stay in the child. A child does several
/// jobs in turn; it is replaced when it crashes, or grows beyond
/// Limits.RecycleRssBytes. stdin is empty for it, and what it prints is kept
/// only as the last words of a crash.
///
/// The caller has one thread. When this returns, no child is left, also after
/// an interrupt. Every job has a result then, unless Interrupted.
PoolReport runJobs(size_t JobCount, unsigned Workers, const JobFunction &Work,
                   const WorkerLimits &Limits, InterruptGuard &Interrupts,
                   const PoolEvents &Events);

} // namespace kst
