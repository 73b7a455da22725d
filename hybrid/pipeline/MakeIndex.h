// SPDX-License-Identifier: GPL-2.0-or-later
//
// The index of a source tree: made here, or in parts elsewhere.

#ifndef KST_HYBRID_PIPELINE_MAKEINDEX_H
#define KST_HYBRID_PIPELINE_MAKEINDEX_H

#include "hybrid/index/Index.h"
#include "hybrid/pipeline/Request.h"

namespace kst {

struct IndexRequest : AnalyzeRequest {
  std::string Scheduler; ///< of Dask, "tcp://HOST:PORT"; "": this machine alone
  std::string Driver;    ///< the script that talks to it
  std::string Program;   ///< this program, as workers find it
  std::vector<std::string> WorkerOptions; ///< of it, about their caches
};

struct IndexAnswer {
  Index What;
  RunStatistics Statistics;
  ExitCode Status = ExitDone;
};

/// Selects units as `survey` does and puts their facts into an index. A unit
/// that fails is told, counted and is in the index by name.
llvm::Expected<IndexAnswer> makeIndex(const IndexRequest &Asked);

/// What a worker does: the units of a job to a part, an index file. Jobs are
/// what partJobs() made. `Run`: the caches of the worker.
llvm::Expected<std::string> indexPart(std::string_view Job, RunOptions Run);
/// Parts to one part. Each is preceded by its size, u64.
llvm::Expected<std::string> joinParts(std::string_view Parts);

} // namespace kst

#endif
