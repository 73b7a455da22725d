// SPDX-License-Identifier: GPL-2.0-or-later
//
// One file, step by step.

#ifndef KST_TOOLS_KSTATICAFFINITY_CHECK_H
#define KST_TOOLS_KSTATICAFFINITY_CHECK_H

#include "hybrid/pipeline/Request.h"

namespace kst {

/// `--check FILE`: prints to stdout what is done with one file, step by step,
/// then the accesses of these structs. Meant to be pasted into a bug report.
/// The code is ExitNoResult if a unit of the file gives no facts.
llvm::Expected<ExitCode> checkFile(UnitsRequest Asked, const std::string &File,
                                   const std::vector<std::string> &Structs);

} // namespace kst

#endif
