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

} // namespace kst
