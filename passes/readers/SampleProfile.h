// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sample profiles of LLVM (AutoFDO, Propeller's, llvm-profdata --sample), text
// or binary: how often functions and lines ran, by name.

#ifndef KST_PASSES_READERS_SAMPLEPROFILE_H
#define KST_PASSES_READERS_SAMPLEPROFILE_H

#include "hybrid/profile/Profile.h"

#include "llvm/Support/Error.h"

#include <string>
#include <string_view>

namespace kst {

bool looksLikeSampleProfile(std::string_view Bytes);

struct SampleProfile {
  Profile What;
  uint64_t Functions = 0; ///< of the source, inlined ones too
  uint64_t Inlined = 0;   ///< inlined copies
};

/// Lines of inlined copies count for their own function; of the blocks of one
/// line the hottest. A function without head samples was entered as often as
/// its first line ran. An error for other formats, and for profiles that have
/// hashes in place of names.
llvm::Expected<SampleProfile> readSampleProfile(std::string_view Bytes,
                                                const std::string &File);

} // namespace kst

#endif
