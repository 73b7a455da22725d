// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/ChildJobs.h"

#include "analyzer/run/InterruptGuard.h"
#include "hybrid/pipeline/Errors.h"

namespace kst {

llvm::Error childJobs(size_t Count, const RunOptions &Run,
                      const std::function<std::string(size_t)> &Name,
                      const JobFunction &Work,
                      const std::function<void(size_t, JobResult)> &Done) {
  size_t Ended = 0;
  PoolEvents Events;
  Events.Done = Done;
  Events.Ended = [&](size_t Job) {
    if (Run.Shown)
      Run.Shown->show(++Ended, Count, Name(Job));
  };
  InterruptGuard Interrupts;
  const PoolReport All = runJobs(Count, std::max(1u, Run.Workers), Work,
                                 Run.Limits, Interrupts, Events);
  if (Run.Shown)
    Run.Shown->clear();
  return All.Interrupted ? interrupted() : llvm::Error::success();
}

} // namespace kst
