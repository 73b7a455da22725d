// SPDX-License-Identifier: GPL-2.0-or-later
//
// Contexts for people and for programs.

#pragma once

#include "hybrid/contexts/Contexts.h"
#include "hybrid/core/ToolId.h"
#include "hybrid/report/Document.h"

namespace kst {

Document describe(const ContextsReport &R);

/// schema/kst-contexts-1.schema.json
std::string toJson(const ContextsReport &R, const ToolId &Tool);

} // namespace kst
