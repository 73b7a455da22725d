// SPDX-License-Identifier: GPL-2.0-or-later
//
// Jobs of an index on the workers of a Dask cluster. A script in Python talks
// to the scheduler; it runs `kstatic-affinity index --work` and `--join` there.

#ifndef KST_HYBRID_PIPELINE_DASKRUN_H
#define KST_HYBRID_PIPELINE_DASKRUN_H

#include "analyzer/run/Progress.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kst {

struct DaskRequest {
  std::string Driver;               ///< the script
  std::string Scheduler;            ///< "tcp://HOST:PORT"
  std::string Program;              ///< kstatic-affinity, as workers find it
  std::vector<std::string> Options; ///< for it
  Progress *Shown = nullptr;
  size_t Units = 0; ///< of all jobs, for progress
};

/// The parts that the jobs gave, joined. The driver is gone when this returns,
/// and when this process ends. An error says what the driver said.
llvm::Expected<std::string> runOnDask(const DaskRequest &Asked,
                                      const std::vector<std::string> &Jobs);

} // namespace kst

#endif
