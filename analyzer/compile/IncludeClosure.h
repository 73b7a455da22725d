// SPDX-License-Identifier: GPL-2.0-or-later
//
// Stands in for the dependency lists of a build that has not compiled the
// units yet: by the #include lines of all files, under any condition, so
// rather one file too many than one too few.

#pragma once

#include "analyzer/compile/BuildTree.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace kst {

/// Fills in BuildEntry::Deps of those whose dependencies are not known, with
/// everything that they may read, their sources included. Includes by a
/// macro's name are not followed. About a second for a whole kernel.
void guessDependencies(llvm::MutableArrayRef<BuildEntry> Entries,
                       FileNames &Names);

} // namespace kst
