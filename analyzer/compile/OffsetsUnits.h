// SPDX-License-Identifier: GPL-2.0-or-later
//
// The files by which a kernel tells its assembly where fields lie. No object
// comes of them, so no selection has them; yet the fields they name are not
// free to move.

#pragma once

#include "analyzer/compile/CompileDatabase.h"

#include <vector>

namespace kst {

/// For each build that has units: the asm-offsets.c files of its architecture
/// that exist, with the arguments of one of these units; those of a folder
/// other than `kernel` only with units from there. An architecture is
/// known by an include path `arch/NAME/include`; without one there are none.
std::vector<CompileUnit> offsetsUnits(const UnitList &List);

} // namespace kst
