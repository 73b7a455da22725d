// SPDX-License-Identifier: GPL-2.0-or-later
//
// --suppressions FILE, for every command with findings.

#ifndef KST_HYBRID_PIPELINE_SUPPRESSIONSFILE_H
#define KST_HYBRID_PIPELINE_SUPPRESSIONSFILE_H

#include "hybrid/findings/Suppressions.h"
#include "hybrid/pipeline/Errors.h"

#include <optional>

namespace kst {

/// None for no file; a usageError for one that cannot be read or understood.
llvm::Expected<std::optional<Suppressions>>
readSuppressions(const std::string &File);

/// Takes what they name out of the findings; a usageError if one names nothing.
llvm::Error suppress(const std::optional<Suppressions> &Silent,
                     FindingList &List);

} // namespace kst

#endif
