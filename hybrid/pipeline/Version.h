// SPDX-License-Identifier: GPL-2.0-or-later
//
// What this build is.

#ifndef KST_HYBRID_PIPELINE_VERSION_H
#define KST_HYBRID_PIPELINE_VERSION_H

#include "hybrid/core/ToolId.h"

namespace kst {

/// The version as in CMakeLists.txt, and that of the LLVM library.
ToolId thisTool();

/// Tells builds apart that could give different facts for the same source: a
/// hash over the front end's own sources and the versions.
std::string factsBuildId();

} // namespace kst

#endif
