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

/// A line for each object that lives at the end of the trace, by address:
///   address number type bytes rule pointers descriptor last-file
/// The last three are what the rules say by themselves: TYPE@ADDRESS of the
/// object with the anchor, with "gone:" in front if that is freed; "-":
/// nothing. number 0: it was there before the trace. A first line, "# ", names
/// columns.
std::string objectListing(const OwnedLivings &Of);

} // namespace kst
