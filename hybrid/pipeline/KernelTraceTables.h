// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tables of a trace of a kernel: its sites with their places in the source,
// its caches and variables with their types.

#ifndef KST_HYBRID_PIPELINE_KERNELTRACETABLES_H
#define KST_HYBRID_PIPELINE_KERNELTRACETABLES_H

#include "hybrid/pipeline/KernelTypes.h"

#include <functional>

namespace kst {

/// What the events say of a site.
struct KernelSiteUse {
  uint64_t Address = 0; ///< of a call: where it returns to
  uint64_t Count = 0;   ///< accesses
  uint8_t Access = 0;
  uint32_t MostBytes = 0;
  uint32_t Allocator = NoAllocator; ///< that it allocates from
  /// Bytes that it asked for, if it allocates.
  uint64_t LeastAsked = ~uint64_t(0), MostAsked = 0;
  bool Allocates = false, Frees = false, Several = false;
  bool used() const { return Count || Allocates || Frees; }
};

struct KernelTraceParts {
  std::map<std::string, std::string> Text; ///< about the run
  uint64_t Lost = 0, DurationNs = 0;
  std::vector<KernelSiteUse> Sites;        ///< by the number that events have
  std::vector<RecordedCache> Caches;       ///< by the number that events have
  std::vector<AllocationSite> Allocations; ///< may lack some
  KernelTypes Types;                       ///< of these caches and allocations
  /// Source places of an instruction, innermost first; one at least.
  std::function<std::vector<SourcePlace>(uint64_t)> PlacesOf;
};

/// The first place that is not in a header: helpers there are inlined into who
/// is meant. Places: one at least.
const SourcePlace &ownPlace(const std::vector<SourcePlace> &Places);

llvm::Expected<TraceTables> kernelTraceTables(KernelTraceParts Parts);

} // namespace kst

#endif
