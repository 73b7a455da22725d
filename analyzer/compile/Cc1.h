// SPDX-License-Identifier: GPL-2.0-or-later
//
// From driver arguments to the arguments of the compiler proper, in this
// process: the driver is a library, and no subprocess is needed to ask it.

#ifndef KST_ANALYZER_COMPILE_CC1_H
#define KST_ANALYZER_COMPILE_CC1_H

#include "analyzer/compile/FlagAdjuster.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kst {

/// Name of the clang that belongs to the libraries this was built with; the
/// driver derives its resource directory from it. Nothing ever runs it.
const char *clangExecutable();

/// The arguments of a parse (-fsyntax-only), beginning with "-cc1", as
/// clang::CompilerInvocation::CreateFromArgs takes them.
/// Reads directories of the system (gcc installations), writes nothing. An
/// error holds the driver's own words, e.g. an unknown --target. Safe to call
/// from several threads.
llvm::Expected<std::vector<std::string>> toCc1(const AdjustedCommand &Command);

} // namespace kst

#endif
