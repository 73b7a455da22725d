// SPDX-License-Identifier: GPL-2.0-or-later
//
// What there is to say about a struct that changed, one function for what a
// reader looks at together. The formulas are in ReviewStruct.h. All are
// deterministic and append.

#pragma once

#include "hybrid/review/ComparedStruct.h"

#include <vector>

namespace kst {

/// Fields that are new, gone, renamed, or lie elsewhere or beside others.
std::vector<FieldChange> fieldChanges(const ComparedStruct &Struct);

/// Who shares a line with whom: false-sharing, then write-added.
void addSharedLines(const ComparedStruct &Struct, std::vector<Finding> &To);

/// How many lines it has: line-more.
void addLinesTaken(const ComparedStruct &Struct, std::vector<Finding> &To);

/// How many lines its visits touch: hot-line-grew.
void addLinesTouched(const ComparedStruct &Struct, std::vector<Finding> &To);

/// Where else new and moved fields could be: better-place, or one more reason
/// of a field's false-sharing that is in `To`.
void addBetterPlaces(const ComparedStruct &Struct, std::vector<Finding> &To);

/// Cacheline groups that fields left and joined: left-group, wrong-group.
void addGroupMoves(const ComparedStruct &Struct, std::vector<Finding> &To);

} // namespace kst
