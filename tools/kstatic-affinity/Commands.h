// SPDX-License-Identifier: GPL-2.0-or-later
//
// The commands of the tool, for the table in main; and what is not worth a
// command of its own.

#ifndef KST_TOOLS_KSTATICAFFINITY_COMMANDS_H
#define KST_TOOLS_KSTATICAFFINITY_COMMANDS_H

#include "hybrid/pipeline/Request.h"
#include "tools/support/CommandLine.h"

namespace kst {

extern const MakeCommand MakeAnalyze, MakePlace, MakeProfileImport,
    MakeProfileMerge, MakeProfileThin, MakeProfileShow, MakeTraceImport,
    MakeTraceDump;

/// `--check FILE`: prints to stdout what is done with one file, step by step,
/// then the accesses of these structs. Meant to be pasted into a bug report.
/// The code is ExitNoResult if a unit of the file gives no facts.
llvm::Expected<ExitCode> checkFile(UnitsRequest Asked, const std::string &File,
                                   const std::vector<std::string> &Structs);

} // namespace kst

#endif
