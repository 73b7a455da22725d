// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rows of a table against the struct, its cacheline groups and its code.

#pragma once

#include "hybrid/groups/GroupCheck.h"

namespace kst {

/// Adds findings of the kinds NoSuchField to RowFunction.
void checkTable(const GroupSubject &Of, const GroupOptions &Options,
                GroupedStruct &Out);

/// Which path a group is for, by the end of its name: "tx", "rx", "txrx"; "" if
/// it does not say.
std::string pathOfGroup(const std::string &Group);

} // namespace kst
