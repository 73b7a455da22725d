// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is to be rewritten: definitions, as each configuration sees them, and
// their text.

#ifndef KST_TOOLS_REWRITETARGET_H
#define KST_TOOLS_REWRITETARGET_H

#include "analyzer/compile/CompileDatabase.h"
#include "analyzer/rewrite/VerifyPatched.h"
#include "hybrid/program/Program.h"
#include "tools/kstatic-affinity/Options.h"

#include "llvm/Support/Error.h"

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

/// The units that are selected, of each build directory. None is an error.
llvm::Expected<std::vector<UnitList>> rewriteUnits(const Options &Given);

/// One target for each struct of the command line.
llvm::Expected<std::vector<RewriteTarget>> rewriteTargets(const Options &Given);

/// A file of the source by its absolute name, and its text.
std::string sourcePath(const std::string &Root, const std::string &File);
llvm::Expected<std::string> sourceText(const std::string &Path);

llvm::Error rewriteFailure(const llvm::Twine &Why);

} // namespace kst

#endif
