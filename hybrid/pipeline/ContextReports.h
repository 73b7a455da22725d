// SPDX-License-Identifier: GPL-2.0-or-later
//
// Object contexts of trace files and of kernels.

#pragma once

#include "hybrid/contexts/ContextGraph.h"
#include "hybrid/contexts/ContextsReport.h"
#include "hybrid/contexts/TierReplay.h"
#include "hybrid/pipeline/Request.h"

#include <string>
#include <vector>

namespace kst {

struct ContextsRequest {
  std::string Trace;
  std::string Binary; ///< with the layouts of its kernel
  ContextsOptions Options;
  bool Quiet = false; ///< no progress on stderr
};

/// Which types of a program lead to which, by its debug information. A
/// usageError if it has none.
llvm::Expected<TypeGraph> graphOfBinary(const std::string &File);

/// A usageError for what the user can mend, a failure for a damaged trace.
llvm::Expected<ContextsReport> reportContexts(const ContextsRequest &Asked);

struct ContextTiersRequest {
  std::string Trace, Binary; ///< as above
  TierOptions Options;
  bool Quiet = false;
};
llvm::Expected<TierReport> replayContexts(const ContextTiersRequest &Asked);

struct ContextGraphRequest {
  std::string Binary; ///< empty: of the source that Source selects
  UnitsRequest Source;
  OwnerOptions Types;
  std::vector<std::string> Only; ///< types to show; empty: all
};
/// A usageError for anchors and types that there are not.
llvm::Expected<ContextGraph> graphContexts(const ContextGraphRequest &Asked);

} // namespace kst
