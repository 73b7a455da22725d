// SPDX-License-Identifier: GPL-2.0-or-later
//
// Independent questions about one session, each answered in a child process.

#ifndef KST_HYBRID_PIPELINE_CHILDJOBS_H
#define KST_HYBRID_PIPELINE_CHILDJOBS_H

#include "analyzer/run/RunUnits.h"
#include "analyzer/run/WorkerPool.h"

#include "llvm/Support/Error.h"

namespace kst {

/// Calls Work(0), ..., Work(Count - 1) in `Run.Workers` children and Done here,
/// in the order of the numbers. Name: what progress shows of a job. An error
/// if the run was interrupted.
llvm::Error childJobs(size_t Count, const RunOptions &Run,
                      const std::function<std::string(size_t)> &Name,
                      const JobFunction &Work,
                      const std::function<void(size_t, JobResult)> &Done);

} // namespace kst

#endif
