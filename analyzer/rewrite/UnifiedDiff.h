// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two texts as a unified diff, in the form that `git apply` and `patch -p1`
// take.

#ifndef KST_ANALYZER_REWRITE_UNIFIEDDIFF_H
#define KST_ANALYZER_REWRITE_UNIFIEDDIFF_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace kst {

/// A shortest edit script by lines (Myers, "An O(ND) difference algorithm",
/// 1986) with three lines of context, `a/Path` and `b/Path`; "" when the texts
/// are equal. A last line without line end is marked as diff(1) does. `Heading`
/// goes behind the second @@ of every hunk whose first line lies after line
/// HeadingLine (from 1) of the old text; 0: no heading.
std::string unifiedDiff(llvm::StringRef Path, llvm::StringRef Old,
                        llvm::StringRef New, llvm::StringRef Heading = "",
                        uint32_t HeadingLine = 0);

} // namespace kst

#endif
