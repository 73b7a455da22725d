// SPDX-License-Identifier: GPL-2.0-or-later
//
// Members that lie aligned by the order alone.

#pragma once

#include "hybrid/core/SourceRule.h"
#include "hybrid/program/Program.h"

#include <vector>

namespace kst {

/// A packed struct as a member (`struct epoll_event event`) may begin at any
/// byte; where it begins as its own members would want it, behind a field that
/// sees to that, both stay together; behind another one it stays.
std::vector<SourceRule> packedMemberRules(const Program &Whole, RecordId Id);

} // namespace kst
