// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is to be rewritten: definitions, as each configuration sees them, and
// their text.

#pragma once

#include "analyzer/rewrite/VerifyPatched.h"
#include "hybrid/pipeline/Request.h"

#include <string>
#include <vector>

namespace kst {

/// One definition in the configurations that were asked for.
struct RewriteTarget {
  RecordInfo Joint;
  std::vector<RecordInfo> Configs; ///< none: some configuration has no unit
                                   ///< that sees it
  std::vector<ProbeUnit> Units;    ///< one for each
  std::string SourceRoot, Path, Text;
};

/// One target for each of these structs.
llvm::Expected<std::vector<RewriteTarget>>
rewriteTargets(const DatabaseOptions &Units,
               const std::vector<std::string> &Structs);

} // namespace kst
