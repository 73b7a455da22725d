// SPDX-License-Identifier: GPL-2.0-or-later
//
// The remedies of what threads share falsely as one patch, judged by asking
// again about the patched source.

#ifndef KST_HYBRID_PIPELINE_SHARINGPATCH_H
#define KST_HYBRID_PIPELINE_SHARINGPATCH_H

#include "analyzer/run/FileOverlay.h"
#include "hybrid/pipeline/Configs.h"
#include "hybrid/sharing/Sharing.h"

#include <functional>

namespace kst {

/// What another source gives; an error if some unit does not compile any more.
using AskAgain =
    std::function<llvm::Expected<SharingReport>(const FileOverlay &)>;

/// A description and a unified diff, or "" if no finding has a remedy that can
/// be written and helps; SharingRemedy::Patched and the report's limits say
/// which have and why others have not. Writes nothing.
/// `Run`: how units are parsed.
llvm::Expected<std::string> makeSharingPatch(SharingReport &Of,
                                             const Configs &From,
                                             const RunOptions &Run,
                                             const AskAgain &Again);

} // namespace kst

#endif
