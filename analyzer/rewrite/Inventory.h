// SPDX-License-Identifier: GPL-2.0-or-later
//
// What no rewriting may change: every declaration under every condition.

#pragma once

#include "analyzer/rewrite/Definition.h"

#include "llvm/Support/Error.h"

namespace kst {

/// Fails unless the new text of Old's file holds the same declarations under
/// the same conditions.
llvm::Error checkInventory(const Definition &Old, const std::string &NewText);

} // namespace kst
