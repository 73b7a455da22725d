// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where in the text the edits go that give data lines of their own, as the
// compiler sees a unit.

#pragma once

#include "analyzer/rewrite/VerifyPatched.h"
#include "hybrid/core/LineEdit.h"

#include "clang/Tooling/Core/Replacement.h"

namespace kst {

/// What an edit comes to in one unit.
struct PlacedEdit {
  std::set<clang::tooling::Replacement> Text; ///< by absolute path; empty: the
                                              ///< unit does not see the place
  std::string Refused; ///< why it must not be done; "": nothing speaks against
};

/// One for each edit, in their order; an error if the unit does not compile.
/// Lines are only added in front of the end of a record. A variable is refused
/// to be spread in a unit that uses it otherwise than by index; a member to be
/// aligned in one that allocates its record unaligned, unless malloc() does.
llvm::Expected<std::vector<PlacedEdit>>
placeEdits(const ProbeUnit &Unit, const std::string &SourceRoot,
           llvm::ArrayRef<LineEdit> Edits);

} // namespace kst
