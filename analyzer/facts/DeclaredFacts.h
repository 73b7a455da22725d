// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a unit declares, without a look into bodies: a tenth of the time of
// extractFacts(), for questions about names.

#pragma once

#include "analyzer/facts/FactsExtractor.h"

namespace kst {

/// All complete records outside of function bodies, and the name and place of
/// every function that the unit defines, in the order of the text; all other
/// tables are empty. Fails as extractFacts() does, but for errors in bodies.
llvm::Expected<TuFacts>
declaredFacts(const ExtractRequest &Request,
              llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace kst
