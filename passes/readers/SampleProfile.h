// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sample profiles of LLVM (AutoFDO, Propeller's, llvm-profdata --sample), text
// or binary: how often functions and lines ran, by name.

#ifndef KST_PASSES_READERS_SAMPLEPROFILE_H
#define KST_PASSES_READERS_SAMPLEPROFILE_H

#include "hybrid/profile/Profile.h"
#include "passes/readers/FunctionCode.h"

#include "llvm/Support/Error.h"

#include <string>
#include <string_view>
#include <vector>

namespace kst {

bool looksLikeSampleProfile(std::string_view Bytes);

struct SampleProfile {
  Profile What;
  uint64_t Functions = 0; ///< of the source, inlined ones too
  uint64_t Inlined = 0;   ///< inlined copies
  /// Names that may mean any of several functions, which were left out, the one
  /// with most samples first.
  std::vector<std::string> Several;
  double SeveralShare = 0;   ///< of all samples of lines
  uint64_t NotInProgram = 0; ///< functions; kept, of no file
  uint64_t Hashes = 0;       ///< left out: nothing in the program has them
};

/// Entries and lines of functions as `profile record` writes them:
///  - A line ran as often as the hottest of its blocks (discriminators), or as
///    the copies inlined at one of them were entered; summed over all copies of
///    its function. Offsets have 16 bits, and may be negative.
///  - A function was entered as often as its head was sampled, or calls of it
///    if that is more; without both, as its first line ran. Its copies inlined
///    into others were entered as often as their first line ran.
/// Program, of what was sampled: its functions of that name have a file and a
/// line then; those of which the profile has no sample were entered 0 times,
/// and of the others lines that have code and no sample ran 0 times.
/// nullptr: no file is known.
///
/// An error for other formats and damaged files, for pseudo probes, and for
/// hashes in place of names without Program.
llvm::Expected<SampleProfile> readSampleProfile(std::string_view Bytes,
                                                const std::string &File,
                                                const FunctionCode *Program);

} // namespace kst

#endif
