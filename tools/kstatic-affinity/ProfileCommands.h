// SPDX-License-Identifier: GPL-2.0-or-later
//
// `profile import|merge|thin|show`, `trace import|dump`.

#ifndef KST_TOOLS_PROFILECOMMANDS_H
#define KST_TOOLS_PROFILECOMMANDS_H

#include "hybrid/profile/ProfileMerge.h"
#include "tools/kstatic-affinity/ExitCode.h"
#include "tools/kstatic-affinity/Options.h"

#include "llvm/Support/Error.h"

namespace kst {

/// Each writes its output completely or not at all, and returns ExitNoResult
/// if an input cannot be used or the output not be written.
ExitCode runProfileImport(const Options &Given);
ExitCode runProfileMerge(const Options &Given);
ExitCode runProfileThin(const Options &Given);
ExitCode runProfileShow(const Options &Given);
ExitCode runTraceImport(const Options &Given);
ExitCode runTraceDump(const Options &Given);

/// A profile file, for every command that takes one.
llvm::Expected<NamedProfile> loadProfile(const std::string &File);

/// Their sum with the label given, written to the output file. Fails, and
/// writes nothing, if they do not fit together.
llvm::Expected<Profile> writeSum(const Options &Given,
                                 std::vector<NamedProfile> All);

} // namespace kst

#endif
