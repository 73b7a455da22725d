// SPDX-License-Identifier: GPL-2.0-or-later
//
// Members of cacheline groups against the code that uses them, and assertions
// about them.

#pragma once

#include "hybrid/groups/GroupCheck.h"

namespace kst {

/// Adds findings of the kinds WrongGroup to DoubleAssertion.
void checkCode(const GroupSubject &Of, const GroupOptions &Options,
               GroupedStruct &Out);

/// Of the accesses to the fields of the group while the object is in use, those
/// that write F, a share. 0 without accesses.
double writesInGroup(const AffinityEvidence &Evidence,
                     const std::vector<std::string> &GroupOfFields, uint32_t F);

} // namespace kst
