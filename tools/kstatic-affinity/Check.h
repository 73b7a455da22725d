// SPDX-License-Identifier: GPL-2.0-or-later
//
// `--check FILE`: what the tool does with one file, in the order in which it
// does it. Meant to be pasted into a bug report.

#ifndef KST_TOOLS_KSTATICAFFINITY_CHECK_H
#define KST_TOOLS_KSTATICAFFINITY_CHECK_H

#include "hybrid/pipeline/Request.h"

namespace kst {

/// Prints to stdout, step by step; then the accesses of these structs. The
/// code is ExitNoResult if a unit of the file gives no facts.
llvm::Expected<ExitCode> checkFile(UnitsRequest Asked, const std::string &File,
                                   const std::vector<std::string> &Structs);

} // namespace kst

#endif
