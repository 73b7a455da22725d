// SPDX-License-Identifier: GPL-2.0-or-later
//
// Variables with static storage out of debug information.

#ifndef KST_PASSES_READERS_DEBUGGLOBALS_H
#define KST_PASSES_READERS_DEBUGGLOBALS_H

#include "hybrid/core/GlobalVariable.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kst {

/// By address; one for each address, those of functions as well. `Sections`: of
/// a relocatable file, where its sections are to lie, by number; else empty. An
/// error names a file that is no ELF file; without debug information there are
/// none.
llvm::Expected<std::vector<GlobalVariable>>
debugGlobals(const std::string &File, const std::vector<uint64_t> &Sections);

} // namespace kst

#endif
