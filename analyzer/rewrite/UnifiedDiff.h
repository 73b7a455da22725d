// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two texts as a unified diff, in the form that `git apply` and `patch -p1`
// take.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace kst {

/// What goes behind the second @@ of hunks whose first line lies after `Line`
/// (from 1) of the old text.
struct DiffHeading {
  uint32_t Line = 0;
  std::string Text;
};

/// A shortest edit script by lines (Myers, "An O(ND) difference algorithm",
/// 1986) with three lines of context, `a/Path` and `b/Path`, quoted where git
/// quotes; "" when the texts are equal. A last line without line end is marked
/// as diff(1) does. Of the headings, ascending by line, a hunk has the last
/// that is above it.
std::string unifiedDiff(llvm::StringRef Path, llvm::StringRef Old,
                        llvm::StringRef New,
                        llvm::ArrayRef<DiffHeading> Headings = {});

} // namespace kst
