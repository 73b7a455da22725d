// SPDX-License-Identifier: GPL-2.0-or-later
//
// `kstatic-affinity rewrite --random-orders N` without a struct: every struct
// of one unit in random orders; what is refused, what fails, and why.

#ifndef KST_TOOLS_REWRITESURVEY_H
#define KST_TOOLS_REWRITESURVEY_H

#include "analyzer/compile/CompileDatabase.h"
#include "tools/kstatic-affinity/Options.h"

#include "llvm/Support/Error.h"

namespace kst {

/// Looks at the first unit of the list and prints counts and examples.
llvm::Error surveyRewrites(const Options &Given, UnitList List);

} // namespace kst

#endif
