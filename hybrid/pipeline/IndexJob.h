// SPDX-License-Identifier: GPL-2.0-or-later
//
// Units to be put into an index, as bytes for another process.

#ifndef KST_HYBRID_PIPELINE_INDEXJOB_H
#define KST_HYBRID_PIPELINE_INDEXJOB_H

#include "analyzer/run/RunUnit.h"
#include "hybrid/core/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace kst {

struct IndexJob {
  std::string SourceRoot, FactsId;
  bool Plain = false;
  /// So many of Units are selected; of those behind them only demands count.
  uint64_t Selected = 0;
  std::vector<RunUnit> Units;
};

/// The same units in jobs of some dozens, neighbors together: the more units a
/// process has seen, the faster it is, and a lost worker costs its jobs.
std::vector<IndexJob> partJobs(const IndexJob &Whole);

/// Equal jobs, equal bytes.
std::string writeJob(const IndexJob &Job);
Result<IndexJob> readJob(std::string_view Bytes);

} // namespace kst

#endif
