// SPDX-License-Identifier: GPL-2.0-or-later
//
// The ids by which a user lifts rules: one for each reason, and what is wrong
// with those that were asked for.

#pragma once

#include "hybrid/core/Layout.h"
#include "hybrid/core/SourceRule.h"

#include <string>
#include <vector>

namespace kst {

/// Gives rules of different reasons (Why or Where) different ids: the second
/// "cast:next" becomes "cast:next.2", counted by file, line and words; the
/// order of `Rules` does not matter.
void nameApart(std::vector<SourceRule> &Rules);

/// Takes the rules out that may be lifted and whose id is in `Ids`.
std::vector<SourceRule> takeLifted(std::vector<SourceRule> &Rules,
                                   const std::vector<std::string> &Ids);

/// What is wrong with lifting the rule `Id`, and what to do; "" when nothing
/// is. `Notes` are those of Constraints, of rules lifted too.
std::string liftProblem(const std::vector<ConstraintNote> &Notes,
                        const std::string &Id);

} // namespace kst
