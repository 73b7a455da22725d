// SPDX-License-Identifier: GPL-2.0-or-later
//
// --patch and --write: the proposed orders as changes of headers, checked by
// the front end before anybody sees them.

#ifndef KST_TOOLS_PATCH_H
#define KST_TOOLS_PATCH_H

#include "tools/kstatic-affinity/HeaderEdits.h"
#include "tools/kstatic-affinity/Options.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace kst {

/// What the text of the definition demands of the order, on top of what the
/// code demands: see analyzer/rewrite. Never fails: a header that cannot be
/// read or understood fixes everything, with the reason.
std::vector<SourceRule> rulesOfHeader(const Configs &All,
                                      const RecordInfo &Record);

/// Does what --patch and --write ask, for `Changes` in the order of
/// Options::Structs. A struct whose verdict is not Reorder is left out, which
/// is said on stderr. Headers are written all or none. An error leaves every
/// header as it was: a text cannot be edited safely, or the compiler laid it
/// out in another way than predicted.
llvm::Error writePatches(const Options &Given, const Configs &All,
                         const std::vector<ProposedChange> &Changes);

} // namespace kst

#endif
