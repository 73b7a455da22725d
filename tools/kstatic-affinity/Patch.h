// SPDX-License-Identifier: GPL-2.0-or-later
//
// --patch and --write: the proposed order as a change of the header, checked by
// the front end before anybody sees it.

#ifndef KST_TOOLS_PATCH_H
#define KST_TOOLS_PATCH_H

#include "hybrid/layout/LayoutProblem.h"
#include "hybrid/model/Report.h"
#include "tools/kstatic-affinity/Configs.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace kst {

/// The header that defines a record, as it lies on disk.
struct Header {
  std::string Path; ///< absolute
  std::string Text;
};

/// Reads it. An error says which file could not be read.
llvm::Expected<Header> readHeader(const Configs &All, const RecordInfo &Record);

/// What the text of the definition demands of the order, on top of what the
/// code demands: see analyzer/rewrite. Never fails: a header that cannot be
/// read or understood fixes everything, with the reason.
std::vector<SourceRule> rulesOfHeader(const Configs &All,
                                      const RecordInfo &Record);

/// Does what --patch and --write ask. Nothing unless the verdict is Reorder,
/// which is said on stderr. An error leaves every file as it was: the text
/// cannot be edited safely, or the compiler laid it out in another way than
/// predicted.
llvm::Error writePatch(const Options &Given, const Configs &All,
                       const StructInConfigs &Of, const LayoutProblem &Problem,
                       const Report &Proposed);

} // namespace kst

#endif
